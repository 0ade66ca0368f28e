// The last step of a product by parts that computes lost lines alone: all that it left over, in FP64.
//
// Three lists say what is left: rows of C, columns of C, and bands of 16 rows x 64 columns in which some sums are in doubt. A row or a
// column may lie anywhere, so a block gathers 16 of them for a tile. Usually all lists are empty, and the kernel takes about a
// microsecond.
//
// Each element of C is computed once: a lost row has all its elements, a lost column those outside lost rows, a band the others. The
// sum has the same order whatever else is in the tile, so the order of the lists does not matter.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/vector_access.cuh"
#include "kernels/ladder.hpp"
#include "kernels/tensor/known_lines.cuh"
#include "kernels/tensor/launch_after.cuh"
#include "kernels/tensor/op_elements.cuh"

namespace ladder {

/// A band of C: 16 rows x 64 columns.
struct Band {
  static constexpr int ROWS = 16, COLS = 64;
  int row, col;  // the first ones
};

/// How many lines and bands are left to FP64. They begin at zero.
struct LeftoverCounts {
  unsigned rows, cols, bands;
};

/// The lists. They have room for all rows, all columns and all bands.
struct Leftovers {
  LeftoverCounts* counts;
  int* rows;
  int* cols;
  Band* bands;
  LineRecords of_rows, of_cols;  // of A and of B

  __device__ void add_row(int64_t row) const {
    rows[atomicAdd(&counts->rows, 1u)] = static_cast<int>(row);
  }
  __device__ void add_col(int64_t col) const {
    cols[atomicAdd(&counts->cols, 1u)] = static_cast<int>(col);
  }
  __device__ void add_band(int64_t row, int64_t col) const {
    bands[atomicAdd(&counts->bands, 1u)] = {static_cast<int>(row), static_cast<int>(col)};
  }
};

// A block has two teams. Each takes every second piece of k, and they add their sums in the end.
constexpr int TEAMS = 2, TEAM_THREADS = 128, LEFTOVER_THREADS = TEAMS * TEAM_THREADS;
constexpr int LEFTOVER_BK = 16;  // of k, in a piece

struct alignas(16) LeftoverMemory {
  static constexpr int LONGER = 64, SUMS = 8;  // rows or columns of a tile; sums of a thread
  union {
    struct {
      double A[LEFTOVER_BK][LONGER + 2];  // (k, m)
      double B[LEFTOVER_BK][LONGER + 2];  // (k, n)
    } teams[TEAMS];
    double sums[SUMS][TEAM_THREADS];
  };
};

/// Computes a tile of BM rows x BN columns of C. `row_of(i)` and `col_of(j)` return the row and the column of element (i, j), or -1
/// beyond the end. `is_mine(row, col)` tells if the tile has to write this element.
template <int BM, int BN, typename ROW_OF, typename COL_OF, typename IS_MINE>
__device__ void compute_leftover_tile(const Sgemm& p, LeftoverMemory& memory, const ROW_OF& row_of,
                                      const COL_OF& col_of, const IS_MINE& is_mine) {
  constexpr int BK = LEFTOVER_BK, TM = 4, TN = 2;  // a thread's rows and columns
  static_assert(BM * BN == TM * TN * TEAM_THREADS && TM * TN == LeftoverMemory::SUMS);
  const int team = threadIdx.x / TEAM_THREADS, thread = threadIdx.x % TEAM_THREADS;
  const int m = thread / (BN / TN) * TM, n = thread % (BN / TN) * TN;
  auto& [As, Bs] = memory.teams[team];

  // What this thread requests of a piece: elements of A along k, and elements of B along n.
  constexpr int COUNT_A = BM * BK / TEAM_THREADS, COUNT_B = BN * BK / TEAM_THREADS;
  float a[COUNT_A], b[COUNT_B];
  const ElementsOf elements(p);
  const auto request = [&](int64_t k0) {
#pragma unroll
    for (int i = 0; i < COUNT_A; ++i) {
      const int at = thread + i * TEAM_THREADS;
      const int64_t row = row_of(at / BK), k = k0 + at % BK;
      a[i] = row >= 0 && k < p.K ? elements.a(row, k) : 0;
    }
#pragma unroll
    for (int i = 0; i < COUNT_B; ++i) {
      const int at = thread + i * TEAM_THREADS;
      const int64_t col = col_of(at % BN), k = k0 + at / BN;
      b[i] = col >= 0 && k < p.K ? elements.b(k, col) : 0;
    }
  };

  double sum[TM][TN] = {};
  request(team * BK);
  for (int64_t k0 = 0; k0 < p.K; k0 += TEAMS * BK) {  // both teams go as far as the longer one
#pragma unroll
    for (int i = 0; i < COUNT_A; ++i) {
      const int at = thread + i * TEAM_THREADS;
      As[at % BK][at / BK] = a[i];
    }
#pragma unroll
    for (int i = 0; i < COUNT_B; ++i) {
      const int at = thread + i * TEAM_THREADS;
      Bs[at / BN][at % BN] = b[i];
    }
    __syncthreads();  // the pieces are complete
    request(k0 + (TEAMS + team) * BK);
#pragma unroll
    for (int k = 0; k < BK; ++k) {
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += As[k][m + i] * Bs[k][n + j];
      }
    }
    __syncthreads();  // nobody may overwrite a piece while a neighbour still reads it
  }
  if (team == 1) {
#pragma unroll
    for (int i = 0; i < TM * TN; ++i) memory.sums[i][thread] = sum[i / TN][i % TN];
  }
  __syncthreads();  // the second team's sums are there
  if (team == 0) {
#pragma unroll
    for (int i = 0; i < TM * TN; ++i) {
      const int64_t row = row_of(m + i / TN), col = col_of(n + i % TN);
      if (row < 0 || col < 0 || !is_mine(row, col)) continue;
      float* c = &p.C[row * p.ldc + col];
      const double product = p.alpha * (sum[i / TN][i % TN] + memory.sums[i][thread]);
      *c = static_cast<float>(p.beta == 0 ? product : product + static_cast<double>(p.beta) * *c);
    }
  }
  __syncthreads();  // nobody may begin the next tile before these sums are read
}

static __global__ void __launch_bounds__(LEFTOVER_THREADS, 2)
    fp64_leftovers_kernel(const Sgemm p, const Leftovers left) {
  wait_for_previous_kernel();
  __shared__ LeftoverMemory memory;
  const LeftoverCounts counts = *left.counts;
  const auto row_is_lost = [&](int64_t row) {
    return known_line(left.of_rows.of_line(row), p.K).is_lost;
  };
  const auto col_is_lost = [&](int64_t col) {
    return known_line(left.of_cols.of_line(col), p.K).is_lost;
  };
  constexpr int LINES = 16, WIDTH = 64;  // a tile of lost lines

  const int64_t row_tiles = ceil_div(p.N, WIDTH) * ceil_div(counts.rows, LINES);
  for (int64_t tile = blockIdx.x; tile < row_tiles; tile += gridDim.x) {
    const int64_t first = tile / ceil_div(p.N, WIDTH) * LINES;
    const int64_t first_col = tile % ceil_div(p.N, WIDTH) * WIDTH;
    compute_leftover_tile<LINES, WIDTH>(
        p, memory,
        [&](int i) { return first + i < counts.rows ? int64_t{left.rows[first + i]} : -1; },
        [&](int j) { return first_col + j < p.N ? first_col + j : -1; },
        [](int64_t, int64_t) { return true; });
  }
  const int64_t col_tiles = ceil_div(p.M, WIDTH) * ceil_div(counts.cols, LINES);
  for (int64_t tile = blockIdx.x; tile < col_tiles; tile += gridDim.x) {
    const int64_t first = tile / ceil_div(p.M, WIDTH) * LINES;
    const int64_t first_row = tile % ceil_div(p.M, WIDTH) * WIDTH;
    compute_leftover_tile<WIDTH, LINES>(
        p, memory, [&](int i) { return first_row + i < p.M ? first_row + i : -1; },
        [&](int j) { return first + j < counts.cols ? int64_t{left.cols[first + j]} : -1; },
        [&](int64_t row, int64_t) { return !row_is_lost(row); });
  }
  for (int64_t i = blockIdx.x; i < counts.bands; i += gridDim.x) {
    const Band band = left.bands[i];
    compute_leftover_tile<Band::ROWS, Band::COLS>(
        p, memory, [&](int m) { return band.row + m < p.M ? int64_t{band.row + m} : -1; },
        [&](int n) { return band.col + n < p.N ? int64_t{band.col + n} : -1; },
        [&](int64_t row, int64_t col) { return !row_is_lost(row) && !col_is_lost(col); });
  }
}

inline cudaError_t launch_fp64_leftovers(const Sgemm& p, const Leftovers& left, int multiprocessors,
                                         cudaStream_t stream) {
  return launch_after(fp64_leftovers_kernel, grid_of(multiprocessors), LEFTOVER_THREADS, 0, stream,
                      p, left);
}

}  // namespace ladder
