// C with at most 8 columns: the counterpart of few_rows.cuh. The time to load A from memory bounds the product.
//
// A row of A lies along k, so here the lanes of a warp walk along k, four k each (side by side if A is aligned),
// and a warp covers four rows. At the end the warp adds its lanes' sums.
//
//                     128 k (a step)
//            +------------------------------+
//   4 rows   | lane 0: 4 | lane 1: 4 | ...  |   of A, 16 bytes a lane and row
//            +------------------------------+
//   each column of B, transposed in shared memory: 16 bytes a lane
//
// If there are too few rows for all multiprocessors, blocks divide K. A second kernel adds their sums, in order
// (add_few_rows_kernel).
#pragma once

#include "device/lane_fours.cuh"
#include "device/vector_access.cuh"
#include "kernels/ladder.hpp"
#include "kernels/tuned/launch_after.cuh"
#include "kernels/tuned/tile.hpp"

namespace ladder {

struct FewCols {
  static constexpr int MAX_COLS = FEW_LINES;
  static constexpr int WARPS = 8;
  static constexpr int THREADS = WARPS * 32;
  static constexpr int WARP_ROWS = 4;
  static constexpr int ROWS = WARPS * WARP_ROWS;  // of a block
  static constexpr int STEP = 32 * 4;             // the k that a warp covers at once
  static constexpr int CHUNK = 4 * STEP;          // of B in shared memory
  static constexpr int BLOCKS = 2;                // the number that a multiprocessor holds at once
};

/// Block (x % strips, x / strips) computes rows [32 (x % strips), + 32) over k in [depth * part, + depth),
/// part = x / strips; depth is a multiple of FewCols::CHUNK. COLS >= N is 1, 2, 4 or 8. With one part
/// the kernel writes C. With several, each part writes its M x N matrix of sums to `parts`, in order.
template <int COLS, bool VECTOR>
__global__ void __launch_bounds__(FewCols::THREADS, FewCols::BLOCKS)
    few_cols_kernel(const Sgemm p, const int64_t strips, const int64_t depth, float* parts) {
  constexpr int STEP = FewCols::STEP, CHUNK = FewCols::CHUNK, ROWS = FewCols::WARP_ROWS;
  __shared__ __align__(16) float Bs[COLS][CHUNK];  // (n: COLS, k: CHUNK), transposed

  allow_next_kernel();
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int64_t part = blockIdx.x / strips;
  const int64_t k_begin = depth * part;
  const int64_t k_end = k_begin + depth < p.K ? k_begin + depth : p.K;
  const int64_t first_row = blockIdx.x % strips * FewCols::ROWS + warp * ROWS;
  const int height = part_inside(p.M - first_row, ROWS);
  using Ks = LaneFour<VECTOR>;
  const float* a = &p.A[first_row * p.lda + Ks::first(lane)];

  float4 next[ROWS];  // (m: ROWS, k: 4)
  const auto fetch_next = [&](int64_t k) {
    const int count = part_inside(k_end - k, STEP) - Ks::first(lane);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      next[r] = Ks::load(a + r * p.lda + k, r < height ? count : 0);
    }
  };

  float sum[ROWS][COLS] = {};  // (m: ROWS, n: COLS)
  fetch_next(k_begin);
  for (int64_t k0 = k_begin; k0 < k_end; k0 += CHUNK) {
    __syncthreads();  // nobody may overwrite the chunk while a neighbour still reads it
    for (int i = threadIdx.x; i < COLS * CHUNK; i += FewCols::THREADS) {
      const int k = i / COLS, col = i % COLS;
      Bs[col][k] = k0 + k < k_end && col < p.N ? p.B[(k0 + k) * p.ldb + col] : 0.0f;
    }
    __syncthreads();  // the chunk is complete

#pragma unroll
    for (int step = 0; step < CHUNK; step += STEP) {
      float now[ROWS][4];
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        now[r][0] = next[r].x;
        now[r][1] = next[r].y;
        now[r][2] = next[r].z;
        now[r][3] = next[r].w;
      }
      fetch_next(k0 + step + STEP);
#pragma unroll
      for (int col = 0; col < COLS; ++col) {
        float b[4];
        Ks::fetch(b, &Bs[col][step + Ks::first(lane)]);
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
          float four = now[r][0] * b[0];
#pragma unroll
          for (int i = 1; i < 4; ++i) four += now[r][i] * b[i];
          sum[r][col] += four;  // a chain a quarter as long rounds half as much
        }
      }
    }
  }

#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
#pragma unroll
    for (int col = 0; col < COLS; ++col) {
      float total = sum[r][col];
#pragma unroll
      for (int other = 16; other > 0; other /= 2) {
        total += __shfl_xor_sync(0xffffffffU, total, other);
      }
      if (lane != 0 || r >= height || col >= p.N) continue;
      const int64_t row = first_row + r;
      if (parts != nullptr) {
        parts[(part * p.M + row) * p.N + col] = total;
      } else {
        float* c = &p.C[row * p.ldc + col];
        *c = blend(p.alpha, total, p.beta, c);
      }
    }
  }
}

}  // namespace ladder
