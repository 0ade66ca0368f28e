// How a warpgroup finishes its sums: reads what is known about the lines, scales the sums back, finds those in doubt, and writes the
// others.
//
// A warp has 16 rows of C and BN columns, as wgmma leaves them in registers: in sum[4 j], sum[4 j + 1] columns 8 j + 2 t and
// 8 j + 2 t + 1 of row g; in sum[4 j + 2], sum[4 j + 3] those of row g + 8 (g = lane / 4, t = lane % 4).
//
// Most lines are plain: then no sum needs a test of its own. All functions are __forceinline__, so that the sums stay in registers.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/vector_access.cuh"
#include "device/warpgroup.cuh"
#include "kernels/ladder.hpp"
#include "kernels/tensor/line_facts.cuh"
#include "kernels/tensor/split_lines.cuh"
#include "kernels/tensor/tile_sums.cuh"

namespace ladder {

/// What the warps of a warpgroup know of the tile's columns.
template <int BN>
struct alignas(16) ColumnsOfTile {
  float unscale[BN];
  float energy[WARPGROUP / 32];    // of the columns that each warp has read, Energy::squares
  float unit[WARPGROUP / 32];      // likewise, Energy::unit
  bool are_plain[WARPGROUP / 32];  // likewise
  bool are_fine[WARPGROUP / 32];   // likewise: none is rough
};

/// What a warp knows of its 16 rows.
struct RowsOfWarp {
  float unscale_row;  // of row lane % 16
  Energy energy;      // of the warp's rows
  bool are_plain;     // the warp's rows
  bool are_fine;      // likewise: none is rough
};

/// Reads what the warps need to finish their sums: about the warp's own rows, from at.row on, and about the tile's columns, which the
/// warps of a warpgroup share. All warps of the warpgroup call it, and wait for each other before they call finish_rows().
template <int BN>
__device__ __forceinline__ RowsOfWarp read_lines(const Sgemm& p, const Lines& lines, TilePlace at,
                                                 ColumnsOfTile<BN>& columns) {
  const int thread = threadIdx.x % WARPGROUP, warp = thread / 32, lane = thread % 32;
  const bool has_col = thread < BN && at.col + thread < p.N;
  Line col{};
  if (has_col) col = lines.line(p.M + at.col + thread);
  if (thread < BN) columns.unscale[thread] = col.unscale;
  const int64_t my_row = at.row + lane % 16;
  const bool has_row = lane < 16 && my_row < p.M;
  Line row{};
  if (my_row < p.M) row = lines.line(my_row);

  RowsOfWarp of_tile{row.unscale, has_row ? row.total() : Energy{},
                     __all_sync(~0u, row.is_plain || my_row >= p.M) != 0,
                     __all_sync(~0u, !row.is_rough) != 0};
  Energy energy = col.total();
  energy.add_lanes();
  of_tile.energy.add_lanes();
  const bool are_plain = __all_sync(~0u, col.is_plain || !has_col) != 0;
  const bool are_fine = __all_sync(~0u, !col.is_rough) != 0;
  if (lane == 0) {
    columns.energy[warp] = energy.squares;
    columns.unit[warp] = energy.unit;
    columns.are_plain[warp] = are_plain;
    columns.are_fine[warp] = are_fine;
  }
  return of_tile;
}

/// Scales the sums of a warp back by the scales of this lane's two rows and of all columns, whose energy is `cols`. Adds to `squares`
/// the squares of each row's sums, in units of that energy.
template <int BN>
__device__ __forceinline__ void scale_back(const float (&unscale_row)[2],
                                           const float (&unscale_col)[BN], const Energy& cols,
                                           float (&sum)[BN / 2], float (&squares)[2]) {
  const int t = threadIdx.x % 4;
  const float unscale[2] = {unscale_row[0] * cols.unit, unscale_row[1] * cols.unit};
#pragma unroll
  for (int j = 0; j < BN / 8; ++j) {
    const float2 two = *reinterpret_cast<const float2*>(&unscale_col[8 * j + 2 * t]);
    const float weight[2] = {cols.weight(two.x), cols.weight(two.y)};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      float& x = sum[4 * j + i];
      x *= weight[i % 2];
      squares[i / 2] += x * x;
      x *= unscale[i / 2];
    }
  }
}

/// Scales the sums of a warp back. Returns true if some of them are in doubt.
template <int BN>
__device__ __forceinline__ bool finish_rows(const Sgemm& p, const Lines& lines,
                                            const RowsOfWarp& rows_of_warp,
                                            const ColumnsOfTile<BN>& columns, TilePlace at,
                                            float (&sum)[BN / 2]) {
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const auto K = static_cast<float>(p.K);
  bool are_plain = rows_of_warp.are_plain, are_fine = rows_of_warp.are_fine;
  Energy energy;  // of the columns
#pragma unroll
  for (int i = 0; i < WARPGROUP / 32; ++i) {
    are_plain = are_plain && columns.are_plain[i];
    are_fine = are_fine && columns.are_fine[i];
    energy.add({columns.unit[i], columns.energy[i]});
  }
  const float unscale_row[2] = {__shfl_sync(~0u, rows_of_warp.unscale_row, g),
                                __shfl_sync(~0u, rows_of_warp.unscale_row, g + 8)};
  if (!are_fine) {
    // A rough line does no harm to large sums. Small ones need the full test below.
    bool is_small = false;
#pragma unroll
    for (const float x : sum) is_small = is_small || is_small_for_rough_lines(x, K);
    are_plain = are_plain && __any_sync(~0u, is_small) == 0;
  }
  float squares[2] = {};  // of row g and of row g + 8, in units of the columns' energy
  if (are_plain) {
    scale_back<BN>(unscale_row, columns.unscale, energy, sum, squares);
    return do_cancel(rows_of_warp.energy, energy, unscale_row, squares, K);
  }

  const int rows = part_inside(p.M - at.row, 16), cols = part_inside(p.N - at.col, BN);
  bool in_doubt = false;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = half * 8 + g;
    if (row >= rows) break;
    const Line row_line = lines.line(at.row + row);
#pragma unroll
    for (int j = 0; j < BN / 8; ++j) {
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const int col = 8 * j + 2 * t + c;
        if (col >= cols) break;
        float& x = sum[4 * j + 2 * half + c];
        const Line col_line = lines.line(p.M + at.col + col);
        const float weighted = x * energy.weight(col_line.unscale);
        squares[half] += weighted * weighted;
        const Finished finished = finish(x, K, row_line, col_line);
        in_doubt = in_doubt || finished.is_in_doubt;
        x = finished.product;
      }
    }
  }
  const bool cancel = do_cancel(rows_of_warp.energy, energy, unscale_row, squares, K);
  return __any_sync(~0u, in_doubt) != 0 || cancel;
}

/// Writes alpha times a warp's sums, plus beta C. `C`: the first element of the warp's 16 rows, of which `rows` lie inside the matrix,
/// and `cols` columns. VECTOR: the rows are aligned to 8 bytes.
template <int BN, bool VECTOR>
__device__ __forceinline__ void write_rows(float* C, int64_t ldc, int rows, int cols, float alpha,
                                           float beta, const float (&sum)[BN / 2]) {
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = half * 8 + g;
    if (row >= rows) return;
    float* c = &C[row * ldc + 2 * t];
    if (VECTOR && cols == BN && beta == 0) {
#pragma unroll
      for (int j = 0; j < BN / 8; ++j) {
        store2<VECTOR>(&c[8 * j], 2, alpha, &sum[4 * j + 2 * half], 0);
      }
      continue;
    }
#pragma unroll
    for (int j = 0; j < BN / 8; ++j) {
      store2<VECTOR>(&c[8 * j], cols - 8 * j - 2 * t, alpha, &sum[4 * j + 2 * half], beta);
    }
  }
}

}  // namespace ladder
