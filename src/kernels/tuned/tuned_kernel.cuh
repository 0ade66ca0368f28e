// Rung 11's kernel for one variant of the tile. bench/tune launches it for every variant that it tries.
#pragma once

#include "kernels/ladder.hpp"
#include "kernels/tuned/block_product.cuh"
#include "kernels/tuned/tile.hpp"

namespace ladder {

/// Each block computes one tile of C. Variant::tile is the Tile; VECTOR as in block_product().
template <typename Variant, bool VECTOR>
__global__ void __launch_bounds__(Variant::tile.threads(), Variant::tile.blocks)
    tuned_kernel(const Sgemm p, const int64_t tiles_m, const int64_t tiles_n, const int band) {
  constexpr Tile T = Variant::tile;
  extern __shared__ __align__(16) float shared[];
  const TilePlace place = place_of(blockIdx.x, tiles_m, tiles_n, band);
  const int64_t tile_row = place.row * T.BM;
  const int64_t tile_col = place.col * T.BN;

  block_product<T, VECTOR>(p, tile_row, tile_col, 0, p.K, shared,
                           [&](int row, int col, const float* four) {
                             store_group<VECTOR>(p, tile_row, tile_col, row, col, four);
                           });
}

/// Launches the kernel for the whole of C.
template <typename Variant, bool VECTOR>
cudaError_t launch_tuned_variant(const Sgemm& p, int multiprocessors, cudaStream_t stream) {
  constexpr Tile T = Variant::tile;
  const auto kernel = tuned_kernel<Variant, VECTOR>;
  const cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, T.shared_bytes());
  if (error != cudaSuccess) return error;

  const int64_t tiles_m = ceil_div(p.M, T.BM);
  const int64_t tiles_n = ceil_div(p.N, T.BN);
  kernel<<<grid_of(tiles_m * tiles_n), T.threads(), T.shared_bytes(), stream>>>(
      p, tiles_m, tiles_n, band_height(T, multiprocessors));
  return cudaGetLastError();
}

}  // namespace ladder
