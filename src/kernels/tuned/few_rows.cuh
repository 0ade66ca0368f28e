// C with at most 8 rows: each element of B serves at most 8 multiply-adds, so the time to load B from memory bounds the
// product. A tile of C would be mostly empty, and a few blocks cannot keep enough loads of B under way.
//
// A warp covers 128 columns, four a lane, and all rows. The warps of a block walk along K side by side, four k each,
// and blocks divide K:
//
//              128 columns of B
//           +---------------------+
//    warp 0 | k + 0 .. 3          |   each lane: 16 bytes of each of four rows of B,
//    warp 1 | k + 4 .. 7          |   and 16 bytes of each row of A (the same for all lanes)
//      ...  |                     |
//    warp 7 | k + 28 .. 31        |
//           +---------------------+
//
// (If rows of A or B are not aligned, a lane has every 32nd column in place of four neighbours: lane_fours.cuh.)
//
// The block stages its part of A in shared memory, a chunk at a time. B goes straight to registers, and each load is
// under way while the warp computes with the previous one. At the end the block adds its warps' sums in shared memory,
// in order, and a second kernel adds the blocks' sums, in order.
#pragma once

#include "device/lane_fours.cuh"
#include "device/vector_access.cuh"
#include "kernels/ladder.hpp"
#include "kernels/tuned/launch_after.cuh"
#include "kernels/tuned/tile.hpp"

namespace ladder {

struct FewRows {
  static constexpr int MAX_ROWS = FEW_LINES;
  static constexpr int COLS = 128;  // of a block
  static constexpr int WARPS = 8;
  static constexpr int THREADS = WARPS * 32;
  static constexpr int STEP = WARPS * 4;  // the k that the block's warps cover at once
  static constexpr int CHUNK = 4 * STEP;  // of A in shared memory

  /// Returns how many blocks a multiprocessor holds at once.
  static constexpr int blocks(int rows) { return rows > 4 ? 2 : 3; }
};

/// Block (x % strips, x / strips) computes columns [128 (x % strips), + 128) over k in [depth * part,
/// + depth), part = x / strips; depth is a multiple of FewRows::CHUNK. ROWS >= M is 1, 2, 4 or 8.
/// With one part the kernel writes C. With several, each part writes its M x N matrix of sums to `parts`, in order.
template <int ROWS, bool VECTOR>
__global__ void __launch_bounds__(FewRows::THREADS, FewRows::blocks(ROWS))
    few_rows_kernel(const Sgemm p, const int64_t strips, const int64_t depth, float* parts) {
  constexpr int STEP = FewRows::STEP, CHUNK = FewRows::CHUNK;
  constexpr int SHARED_ROWS = ROWS < 4 ? ROWS : 4;  // rows of C that are added at a time
  __shared__ __align__(16) float As[ROWS][CHUNK];   // (m: ROWS, k: CHUNK)
  __shared__ __align__(16) float sums[FewRows::WARPS][SHARED_ROWS][FewRows::COLS];  // (warp, m, n)

  allow_next_kernel();
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int64_t first_col = blockIdx.x % strips * FewRows::COLS;
  const int64_t part = blockIdx.x / strips;
  const int64_t k_begin = depth * part;
  const int64_t k_end = k_begin + depth < p.K ? k_begin + depth : p.K;
  const int width = part_inside(p.N - first_col, FewRows::COLS);
  using Columns = LaneFour<VECTOR>;
  const int count = width - Columns::first(lane);
  const float* b = &p.B[first_col + Columns::first(lane)];

  float4 next[4];  // (k: 4, n: 4)
  const auto fetch_next = [&](int64_t k) {
    const int left = part_inside(k_end - k, 4);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      next[i] = Columns::load(b + (k + i) * p.ldb, i < left ? count : 0);
    }
  };

  float sum[ROWS][4] = {};  // (m: ROWS, n: 4)
  fetch_next(k_begin + 4 * warp);
  for (int64_t k0 = k_begin; k0 < k_end; k0 += CHUNK) {
    __syncthreads();  // nobody may overwrite the chunk while a neighbour still reads it
    for (int i = threadIdx.x; i < ROWS * CHUNK / 4; i += FewRows::THREADS) {
      const int row = i / (CHUNK / 4), k = i % (CHUNK / 4) * 4;
      *reinterpret_cast<float4*>(&As[row][k]) = load4<VECTOR>(
          p.A + row * p.lda + k0 + k, row < p.M ? part_inside(k_end - k0, CHUNK) - k : 0);
    }
    __syncthreads();  // the chunk is complete

#pragma unroll VECTOR ? CHUNK / STEP : 1
    for (int step = 0; step < CHUNK; step += STEP) {
      const int k = step + 4 * warp;
      const float4 now[4] = {next[0], next[1], next[2], next[3]};
      fetch_next(k0 + k + STEP);
#pragma unroll
      for (int row = 0; row < ROWS; ++row) {
        float a[4];
        fetch4(a, &As[row][k]);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          sum[row][0] += a[i] * now[i].x;
          sum[row][1] += a[i] * now[i].y;
          sum[row][2] += a[i] * now[i].z;
          sum[row][3] += a[i] * now[i].w;
        }
      }
    }
  }

#pragma unroll
  for (int first = 0; first < ROWS; first += SHARED_ROWS) {
    __syncthreads();  // the previous rows have been added
#pragma unroll
    for (int r = 0; r < SHARED_ROWS; ++r) {
      Columns::put(&sums[warp][r][Columns::first(lane)], sum[first + r]);
    }
    __syncthreads();  // the sums of all warps are there
    for (int i = threadIdx.x; i < SHARED_ROWS * FewRows::COLS; i += FewRows::THREADS) {
      const int row = first + i / FewRows::COLS, col = i % FewRows::COLS;
      if (row >= p.M || col >= width) continue;
      float total = 0.0f;
#pragma unroll
      for (int w = 0; w < FewRows::WARPS; ++w) total += sums[w][i / FewRows::COLS][col];
      if (parts != nullptr) {
        parts[(part * p.M + row) * p.N + first_col + col] = total;
      } else {
        float* c = &p.C[row * p.ldc + first_col + col];
        *c = blend(p.alpha, total, p.beta, c);
      }
    }
  }
}

/// One thread for each element of C: adds the `count` sums of few_rows_kernel, in order.
static __global__ void __launch_bounds__(256)
    add_few_rows_kernel(const Sgemm p, const float* parts, const int64_t count) {
  wait_for_previous_kernel();
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= p.M * p.N) return;
  float total = 0.0f;
#pragma unroll 8
  for (int64_t part = 0; part < count; ++part) total += parts[part * p.M * p.N + i];
  float* c = &p.C[i / p.N * p.ldc + i % p.N];
  *c = blend(p.alpha, total, p.beta, c);
}

}  // namespace ladder
