// Rung 11's kernel for one variant of the tile. bench/tune launches it for every variant that it tries.
#pragma once

#include <algorithm>

#include "kernels/ladder.hpp"
#include "kernels/tuned/block_product.cuh"
#include "kernels/tuned/launch_kernel.hpp"
#include "kernels/tuned/tile.hpp"

namespace ladder {

/// Each block computes one tile of C of product blockIdx.z. Variant::tile is the Tile; VECTOR as in block_product(), for every product.
template <typename Variant, bool VECTOR>
__global__ void __launch_bounds__(Variant::tile.threads(), Variant::tile.blocks)
    tuned_kernel(const Call call, const int64_t tiles_m, const int64_t tiles_n, const int band) {
  constexpr Tile T = Variant::tile;
  extern __shared__ __align__(16) float shared[];
  const Sgemm p = call.product_at(blockIdx.z);
  const TilePlace place = place_of(blockIdx.x, tiles_m, tiles_n, band);
  const int64_t tile_row = place.row * T.BM;
  const int64_t tile_col = place.col * T.BN;

  block_product<T, VECTOR>(p, tile_row, tile_col, 0, p.K, shared,
                           IntoC<VECTOR>{p, tile_row, tile_col});
}

/// Launches the kernel for the whole of each C.
template <typename Variant, bool VECTOR>
cudaError_t launch_tuned_variant(const Call& call, int multiprocessors, cudaStream_t stream) {
  constexpr Tile T = Variant::tile;
  constexpr int64_t MOST_TOGETHER = 65535;  // gridDim.z takes no more
  const auto kernel = tuned_kernel<Variant, VECTOR>;
  cudaError_t error = allow_dynamic_shared(kernel, T.shared_bytes());
  const int64_t tiles_m = ceil_div(call.product.M, T.BM);
  const int64_t tiles_n = ceil_div(call.product.N, T.BN);
  for (int64_t i = 0; i < call.batch && error == cudaSuccess; i += MOST_TOGETHER) {
    Call some = call;
    some.product = call.product_at(i);
    dim3 grid = grid_of(tiles_m * tiles_n);
    grid.z = static_cast<unsigned>(std::min(call.batch - i, MOST_TOGETHER));
    error = launch_kernel(kernel, grid, T.threads(), T.shared_bytes(), stream, some, tiles_m,
                          tiles_n, band_height(T, multiprocessors));
  }
  return error;
}

}  // namespace ladder
