// A product in FP64, for tiles of C that a product by parts could not compute as accurately as FP32 does. It is right for all
// data: products of FP32 numbers are exact in FP64, and no sum of them overflows.
#pragma once

#include <algorithm>

#include "device/vector_access.cuh"
#include "kernels/ladder.hpp"
#include "kernels/tensor/op_elements.cuh"
#include "kernels/tuned/launch_after.cuh"

namespace ladder {

struct FP64Tile {
  static constexpr int BM = 64, BN = 64, BK = 16;
  static constexpr int TM = 4, TN = 4;
  static constexpr int THREADS = (BM / TM) * (BN / TN);
  static constexpr int BAND = 16,
                       BANDS = BM / BAND;  // rows that are computed together, or not at all
  static constexpr unsigned ALL_BANDS = (1u << BANDS) - 1;
};

/// Computes a tile of C over all of K, in FP64, and writes those of its bands whose bits are set in `bands`.
__device__ inline void compute_fp64_tile(const Sgemm& p, int64_t tile_row, int64_t tile_col,
                                         unsigned bands) {
  constexpr int BM = FP64Tile::BM, BN = FP64Tile::BN, BK = FP64Tile::BK;
  constexpr int TM = FP64Tile::TM, TN = FP64Tile::TN;
  __shared__ double As[BK][BM + 1];  // (k: BK, m: BM), transposed
  __shared__ double Bs[BK][BN];      // (k: BK, n: BN)

  const ElementsOf elements(p);
  const int rows = part_inside(p.M - tile_row, BM), cols = part_inside(p.N - tile_col, BN);

  // This thread computes rows row + 16 i and columns col + 16 j.
  const int row = threadIdx.x / 16, col = threadIdx.x % 16;
  double sum[TM][TN] = {};
  for (int64_t k0 = 0; k0 < p.K; k0 += BK) {
    const int depth = part_inside(p.K - k0, BK);
    for (int i = threadIdx.x; i < BM * BK; i += FP64Tile::THREADS) {
      const int m = i / BK, k = i % BK;
      As[k][m] = m < rows && k < depth ? elements.a(tile_row + m, k0 + k) : 0.0f;
    }
    for (int i = threadIdx.x; i < BN * BK; i += FP64Tile::THREADS) {
      const int k = i / BN, n = i % BN;
      Bs[k][n] = n < cols && k < depth ? elements.b(k0 + k, tile_col + n) : 0.0f;
    }
    __syncthreads();  // the tile is complete
    for (int k = 0; k < depth; ++k) {
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += As[k][row + 16 * i] * Bs[k][col + 16 * j];
      }
    }
    __syncthreads();  // nobody may overwrite the tile while a neighbour still reads it
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    static_assert(FP64Tile::BAND == 16 && TM == FP64Tile::BANDS, "i is the number of the band");
    if ((bands >> i & 1) == 0) continue;
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      if (row + 16 * i >= rows || col + 16 * j >= cols) continue;
      float* c = &p.C[(tile_row + row + 16 * i) * p.ldc + tile_col + col + 16 * j];
      const double product = p.alpha * sum[i][j];
      *c =
          static_cast<float>(p.beta == 0.0f ? product : product + static_cast<double>(p.beta) * *c);
    }
  }
}

/// Computes the marked bands of C's tiles: marks[i] has a bit for each band of tile i, in the order of rows. If `marks` is
/// nullptr, it computes all tiles, of each product of a batch.
static __global__ void __launch_bounds__(FP64Tile::THREADS)
    fp64_tiles_kernel(const Call call, const unsigned* marks, const int64_t tiles_m,
                      const int64_t tiles_n) {
  wait_for_previous_kernel();
  const int64_t tiles = tiles_m * tiles_n * call.batch;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const unsigned bands = marks == nullptr ? FP64Tile::ALL_BANDS : marks[tile];
    if (bands == 0) continue;
    const int64_t row = tile / tiles_n % tiles_m, col = tile % tiles_n;
    compute_fp64_tile(call.product_at(tile / (tiles_m * tiles_n)), row * FP64Tile::BM,
                      col * FP64Tile::BN, bands);
  }
}

/// Launches the kernel above for the marked tiles of C, or for all tiles of all products if `marks` is nullptr. Usually few tiles
/// are marked, so few blocks look for them.
inline cudaError_t launch_fp64_tiles(const Call& call, const unsigned* marks, cudaStream_t stream) {
  constexpr int64_t FEW_BLOCKS = 512, MANY_BLOCKS = INT32_MAX;
  const int64_t tiles_m = ceil_div(call.product.M, FP64Tile::BM);
  const int64_t tiles_n = ceil_div(call.product.N, FP64Tile::BN);
  const int64_t most = marks == nullptr ? MANY_BLOCKS : FEW_BLOCKS;
  const dim3 grid = grid_of(std::min(tiles_m * tiles_n * call.batch, most));
  return launch_after(fp64_tiles_kernel, grid, FP64Tile::THREADS, 0, stream, call, marks, tiles_m,
                      tiles_n);
}

}  // namespace ladder
