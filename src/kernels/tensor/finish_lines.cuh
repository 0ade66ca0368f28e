// How a warp of rung 16 finishes its sums: reads the records of its lines, scales the sums back, leaves some to FP64, and writes the
// others. A warp has 16 rows of C and BN columns, as wgmma leaves them in registers (warpgroup_rows.cuh).
//
// Most lines are plain: then no sum needs a test of its own. All functions are __forceinline__, so that the sums stay in registers.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/blend.cuh"
#include "device/vector_access.cuh"
#include "device/warp_reduce.cuh"
#include "device/warpgroup.cuh"
#include "kernels/ladder.hpp"
#include "kernels/tensor/cancellation.cuh"
#include "kernels/tensor/fp64_leftovers.cuh"
#include "kernels/tensor/known_lines.cuh"
#include "kernels/tensor/tile_sums.cuh"
#include "kernels/tensor/warpgroup_rows.cuh"

namespace ladder {

/// What is known of several lines together. Lost lines count only in `any_lost`.
struct KnownTogether {
  Energy energy;
  float breadth = INFINITY;  // the least
  float largest = 0;         // the largest
  unsigned small = 0;        // the most
  unsigned inexact = 0;      // the most
  bool are_long = true;
  bool are_plain = true;
  bool any_lost = false;

  __device__ void add(const KnownLine& line) {
    any_lost = any_lost || line.is_lost;
    if (line.is_lost) return;
    energy.add(line.total());
    breadth = fminf(breadth, line.breadth);
    largest = fmaxf(largest, line.largest);
    small = max(small, line.small);
    inexact = max(inexact, line.inexact);
    are_long = are_long && line.is_long;
    are_plain = are_plain && line.is_plain;
  }
  __device__ void add(const KnownTogether& more) {
    energy.add(more.energy);
    breadth = fminf(breadth, more.breadth);
    largest = fmaxf(largest, more.largest);
    small = max(small, more.small);
    inexact = max(inexact, more.inexact);
    are_long = are_long && more.are_long;
    are_plain = are_plain && more.are_plain;
    any_lost = any_lost || more.any_lost;
  }
  __device__ void add_lanes() {
    energy.add_lanes();
    // Positive floats have the order of their bits.
    breadth = __uint_as_float(device::least_of_lanes(__float_as_uint(breadth)));
    largest = __uint_as_float(device::largest_of_lanes(__float_as_uint(largest)));
    small = device::largest_of_lanes(small);
    inexact = device::largest_of_lanes(inexact);
    are_long = __all_sync(~0u, are_long) != 0;
    are_plain = __all_sync(~0u, are_plain) != 0;
    any_lost = __any_sync(~0u, any_lost) != 0;
  }
};

constexpr float LOST = 0;  // in place of a lost line's `unscale`

/// What the warps of a warpgroup know of their lines, in shared memory.
template <int BN>
struct alignas(16) KnownLines {
  static constexpr int WARPS = WARPGROUP / 32, ROWS = 16;  // of a warp
  float unscale_col[BN];
  float unscale_row[WARPS][ROWS];
  KnownTogether cols[WARPS];  // the columns that each warp has read
  KnownTogether rows[WARPS];  // each warp's own rows

  __device__ KnownTogether all_cols() const {
    KnownTogether all;
#pragma unroll
    for (const KnownTogether& of_one : cols) all.add(of_one);
    return all;
  }
  __device__ const KnownTogether& my_rows() const { return rows[threadIdx.x % WARPGROUP / 32]; }
  __device__ float unscale_my_row(int row) const {
    return unscale_row[threadIdx.x % WARPGROUP / 32][row];
  }
};

/// Which lost lines a warpgroup adds to the lists. Each must be listed once.
struct WhoLists {
  bool rows, cols;  // those that it reads
};

/// Reads the records that the warps need to finish their sums: of the warp's own rows, from at.row on, and of the tile's columns, which
/// the warps of a warpgroup share. All warps of the warpgroup call it, and wait for each other before they call finish_lines().
template <int BN>
__device__ __forceinline__ void read_records(const Sgemm& p, const Leftovers& left, TilePlace at,
                                             WhoLists lists, KnownLines<BN>& known) {
  const int thread = threadIdx.x % WARPGROUP, warp = thread / 32, lane = thread % 32;
  KnownTogether cols, rows;
  if (thread < BN) {
    KnownLine col;
    if (at.col + thread < p.N) col = known_line(left.of_cols.of_line(at.col + thread), p.K);
    known.unscale_col[thread] = col.is_lost ? LOST : col.unscale;
    cols.add(col);
    if (col.is_lost && lists.cols) left.add_col(at.col + thread);
  }
  if (lane < KnownLines<BN>::ROWS) {
    KnownLine row;
    if (at.row + lane < p.M) row = known_line(left.of_rows.of_line(at.row + lane), p.K);
    known.unscale_row[warp][lane] = row.is_lost ? LOST : row.unscale;
    rows.add(row);
    if (row.is_lost && lists.rows) left.add_row(at.row + lane);
  }
  rows.add_lanes();
  cols.add_lanes();
  if (lane == 0) {
    known.cols[warp] = cols;
    known.rows[warp] = rows;
  }
}

/// Scales the sums of a warp back. Returns true if some of them are in doubt. Sums of lost lines have no meaning.
template <int BN>
__device__ __forceinline__ bool finish_lines(const Sgemm& p, const Leftovers& left,
                                             const KnownLines<BN>& known, TilePlace at,
                                             float (&sum)[BN / 2]) {
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const auto K = static_cast<float>(p.K);
  const KnownTogether cols = known.all_cols(), rows = known.my_rows();
  const float unscale_row[2] = {known.unscale_my_row(g), known.unscale_my_row(g + 8)};
  const bool are_harmless =
      least_harmless_sum(rows.small, rows.inexact, cols.breadth, cols.largest) == 0 &&
      least_harmless_sum(cols.small, cols.inexact, rows.breadth, rows.largest) == 0;
  bool in_doubt = false;
  // Sums outside the matrix are zero.
  float squares[2] = {};  // of row g and of row g + 8, in units of the columns' energy
  if (are_harmless && rows.are_plain && cols.are_plain && !rows.any_lost && !cols.any_lost) {
    scale_back<BN>(unscale_row, known.unscale_col, cols.energy, sum, squares);
  } else {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int64_t row = at.row + half * 8 + g;
      if (row >= p.M) break;
      const KnownLine row_line = known_line(left.of_rows.of_line(row), p.K);
      if (row_line.is_lost) continue;
#pragma unroll
      for (int j = 0; j < BN / 8; ++j) {
#pragma unroll
        for (int c = 0; c < 2; ++c) {
          const int64_t col = at.col + 8 * j + 2 * t + c;
          if (col >= p.N) break;
          const KnownLine col_line = known_line(left.of_cols.of_line(col), p.K);
          if (col_line.is_lost) continue;
          float& x = sum[4 * j + 2 * half + c];
          if (x != 0) {
            const float weighted = x * cols.energy.weight(col_line.unscale);
            squares[half] += weighted * weighted;
          }
          const Finished finished = finish_known(x, row_line, col_line);
          in_doubt = in_doubt || finished.is_in_doubt;
          x = finished.product;
        }
      }
    }
  }
  const bool cancel = do_cancel(rows.energy, cols.energy, unscale_row, squares, K);
  return __any_sync(~0u, in_doubt) != 0 || cancel;
}

/// Writes alpha times the sums of a warp some of whose lines are lost, plus beta C. Does not touch the lost lines.
template <int BN>
__device__ __forceinline__ void write_other_lines(const Sgemm& p, const KnownLines<BN>& known,
                                                  TilePlace at, const float (&sum)[BN / 2]) {
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int64_t row = at.row + half * 8 + g;
    const bool is_lost = known.unscale_my_row(half * 8 + g) == LOST;
    if (is_lost || row >= p.M) continue;
#pragma unroll
    for (int j = 0; j < BN / 8; ++j) {
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const int col = 8 * j + 2 * t + c;
        if (at.col + col >= p.N || known.unscale_col[col] == LOST) continue;
        float* to = &p.C[row * p.ldc + at.col + col];
        *to = blend(p.alpha, sum[4 * j + 2 * half + c], p.beta, to);
      }
    }
  }
}

constexpr int ADDED_SIDE = 64;  // of the square of C that a block below works on

/// Adds the sums over the parts of K of the product blockIdx.y, in the order of k, and finishes them like a warp above.
static __global__ void __launch_bounds__(ADD_THREADS)
    add_known_parts_kernel(const Call call, const Sums sums_of_all, const Leftovers left_of_all) {
  wait_for_previous_kernel();
  constexpr int SIDE = ADDED_SIDE;
  constexpr int ROWS_AT_A_TIME = ADD_THREADS / SIDE, COUNT = SIDE / ROWS_AT_A_TIME;
  static_assert(ROWS_AT_A_TIME == Band::ROWS && SIDE == Band::COLS,
                "row i of a thread lies in band i");
  const Sgemm p = call.product_at(blockIdx.y);
  const Sums sums = sums_of_all.of_product(p, blockIdx.y);
  const Leftovers left = left_of_all.of_product(p, blockIdx.y);
  const int64_t tiles_n = ceil_div(p.N, SIDE);
  const int64_t tile_row = blockIdx.x / tiles_n * SIDE, tile_col = blockIdx.x % tiles_n * SIDE;
  const int64_t col = tile_col + threadIdx.x % SIDE, first_row = tile_row + threadIdx.x / SIDE;
  // The records of the rows, word by word: neighbours write to neighbouring banks.
  constexpr int WORDS = sizeof(LineRecord) / sizeof(unsigned);
  __shared__ unsigned row_words[WORDS][SIDE];
  if (threadIdx.x < SIDE) {
    const int64_t row = tile_row + threadIdx.x;
    const LineRecord record = row < p.M ? left.of_rows.of_line(row) : LineRecord{};
    if (tile_col == 0 && known_line(record, p.K).is_lost) left.add_row(row);
#pragma unroll
    for (int i = 0; i < WORDS; ++i)
      row_words[i][threadIdx.x] = reinterpret_cast<const unsigned*>(&record)[i];
  }
  __syncthreads();  // the rows' records are there

  double total[COUNT] = {};  // there may be many parts: FP32 would round each addition
  for (int64_t part = 0; part < sums.parts; ++part) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
      const int64_t row = first_row + i * ROWS_AT_A_TIME;
      if (row < p.M && col < p.N) total[i] += sums.of_parts[(part * p.M + row) * sums.pitch + col];
    }
  }

  KnownLine col_line;
  if (col < p.N) col_line = known_line(left.of_cols.of_line(col), p.K);
  if (tile_row == 0 && threadIdx.x < SIDE && col_line.is_lost) left.add_col(col);
  const auto line_of_row = [&](int i) {
    LineRecord record;
#pragma unroll
    for (int word = 0; word < WORDS; ++word) {
      reinterpret_cast<unsigned*>(&record)[word] =
          row_words[word][threadIdx.x / SIDE + i * ROWS_AT_A_TIME];
    }
    return known_line(record, p.K);
  };
  Energy rows, cols = col_line.total();
#pragma unroll
  for (int i = 0; i < COUNT; ++i) rows.add(line_of_row(i).total());
  cols.add_lanes();

  float product[COUNT];
  bool is_lost[COUNT];
  bool in_doubt = false;
  // Of the warp's sums. Its lanes have the same rows, and a column each.
  Cancellation cancellation{.energies = rows.squares * cols.squares};
#pragma unroll
  for (int i = 0; i < COUNT; ++i) {
    const int64_t row = first_row + i * ROWS_AT_A_TIME;
    is_lost[i] = true;
    if (row >= p.M || col >= p.N) continue;
    const KnownLine row_line = line_of_row(i);
    is_lost[i] = row_line.is_lost || col_line.is_lost;
    if (is_lost[i]) continue;
    const auto sum = static_cast<float>(total[i]);
    const Finished finished = finish_known(sum, row_line, col_line);
    product[i] = finished.product;
    in_doubt = in_doubt || finished.is_in_doubt;
    cancellation.add(sum, rows.weight(row_line.unscale), cols.weight(col_line.unscale));
  }
  const bool cancels = cancellation.is_in_doubt<true>(static_cast<float>(p.K));
  in_doubt = __syncthreads_or(in_doubt || cancels) != 0;
  if (in_doubt) {
    const int64_t row = tile_row + threadIdx.x * Band::ROWS;
    if (threadIdx.x < SIDE / Band::ROWS && row < p.M) left.add_band(row, tile_col);
    return;
  }
#pragma unroll
  for (int i = 0; i < COUNT; ++i) {
    if (is_lost[i]) continue;
    float* c = &p.C[(first_row + i * ROWS_AT_A_TIME) * p.ldc + col];
    *c = blend(p.alpha, product[i], p.beta, c);
  }
}

inline cudaError_t launch_add_known_parts(const Call& call, const Sums& sums, const Leftovers& left,
                                          cudaStream_t stream) {
  const int64_t tiles = ceil_div(call.product.M, ADDED_SIDE) * ceil_div(call.product.N, ADDED_SIDE);
  return launch_after(add_known_parts_kernel, grid_for_batch(tiles, call.batch), ADD_THREADS, 0,
                      stream, call, sums, left);
}

}  // namespace ladder
