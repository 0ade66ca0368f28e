// C = A B with a K of at most 8: so few multiply-adds for each element that the time to write C bounds the product. There is nothing to
// wait for on the way, so no tile is staged in shared memory.
//
// A warp covers 128 columns, four a lane, and four rows. Each lane keeps its columns of B in registers:
//
//             128 columns of B
//          +---------------------+
//          | k = 0 .. K - 1      |   each lane: 16 bytes of each row of B
//          +---------------------+
//   4 rows | lane 0: 4 | ...     |   of C, 16 bytes a lane and row; the elements of A are the same for all lanes
//          +---------------------+
//
// (If rows of B or C are not aligned, a lane has every 32nd column in place of four neighbours: lane_fours.cuh.)
#pragma once

#include "device/lane_fours.cuh"
#include "device/vector_access.cuh"
#include "kernels/ladder.hpp"
#include "kernels/tuned/tile.hpp"

namespace ladder {

struct FewK {
  static constexpr int MAX_K = FEW_LINES;
  static constexpr int WARPS = 8;
  static constexpr int THREADS = WARPS * 32;
  static constexpr int COLS = 128;  // of a block
  static constexpr int WARP_ROWS = 4;
  static constexpr int ROWS = WARPS * WARP_ROWS;  // of a block
};

/// Block (x % strips, x / strips) computes columns [128 (x % strips), + 128) of rows [32 (x / strips), + 32). DEPTH >= K is 1, 2, 4 or 8.
template <int DEPTH, bool VECTOR>
__global__ void __launch_bounds__(FewK::THREADS) few_k_kernel(const Sgemm p, const int64_t strips) {
  constexpr int ROWS = FewK::WARP_ROWS;
  using Columns = LaneFour<VECTOR>;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int K = static_cast<int>(p.K);
  const int64_t first_col = blockIdx.x % strips * FewK::COLS;
  const int64_t first_row = blockIdx.x / strips * FewK::ROWS + warp * ROWS;
  const int height = part_inside(p.M - first_row, ROWS);
  const int count = part_inside(p.N - first_col, FewK::COLS) - Columns::first(lane);
  const int64_t col = first_col + Columns::first(lane);

  float4 b[DEPTH];       // (k: DEPTH, n: 4)
  float a[ROWS][DEPTH];  // (m: ROWS, k: DEPTH)
#pragma unroll
  for (int k = 0; k < DEPTH; ++k) b[k] = Columns::load(&p.B[k * p.ldb + col], k < K ? count : 0);
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
#pragma unroll
    for (int k = 0; k < DEPTH; ++k)
      a[r][k] = r < height && k < K ? p.A[(first_row + r) * p.lda + k] : 0.0f;
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    float sum[4] = {};
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) {
      sum[0] += a[r][k] * b[k].x;
      sum[1] += a[r][k] * b[k].y;
      sum[2] += a[r][k] * b[k].z;
      sum[3] += a[r][k] * b[k].w;
    }
    Columns::store(&p.C[(first_row + r) * p.ldc + col], r < height ? count : 0, p.alpha, sum,
                   p.beta);
  }
}

}  // namespace ladder
