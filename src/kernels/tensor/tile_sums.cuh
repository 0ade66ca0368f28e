// The last steps of a product by parts: the sums over the parts of K are added, and tiles for which parts are not accurate enough
// are marked for FP64 (fp64_tiles.cuh).
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "device/blend.cuh"
#include "kernels/ladder.hpp"
#include "kernels/tensor/division.hpp"
#include "kernels/tensor/fp64_tiles.cuh"
#include "kernels/tensor/split_lines.cuh"

namespace ladder {

/// The blocks' sums: how C and K are divided among the blocks, and what they leave behind.
struct Sums {
  float* of_parts;  // (product of the batch, parts of K, M, pitch), if K is divided; scaled
  int64_t pitch;    // at least N, and even
  // One for each of FP64Tile's tiles: the bands of rows that are left to FP64. No rung with marks has batches.
  unsigned* marks;
  int64_t tiles_m, tiles_n;
  int64_t parts;
  int64_t chunk;  // of K in a part, a multiple of the step

  /// Returns how many sums a product has in `of_parts`.
  __host__ __device__ constexpr int64_t sums_of_product(const Sgemm& p) const {
    return parts * p.M * pitch;
  }
  /// Returns the sums of the product `p`, the i-th of the batch.
  __device__ Sums of_product(const Sgemm& p, int64_t i) const {
    Sums sums = *this;
    if (of_parts != nullptr) sums.of_parts += i * sums_of_product(p);
    return sums;
  }
};

/// Divides C and K for the blocks (division.hpp).
inline void divide(const Sgemm& p, int64_t bm, int64_t bn, int64_t bk, int64_t room, Sums* sums,
                   int64_t least_steps = 4, int64_t most_steps = 20) {
  const Division d = division_of(p.M, p.N, p.K, bm, bn, bk, room, least_steps, most_steps);
  sums->tiles_m = d.tiles_m;
  sums->tiles_n = d.tiles_n;
  sums->parts = d.parts;
  sums->chunk = d.chunk;
  sums->pitch = ceil_div(p.N, 2) * 2;
}

/// The first element of a tile of C.
struct TilePlace {
  int64_t row, col;
};

/// Returns the place of a tile of BM x BN by its number. Blocks that run at the same time compute a band of tiles, so that they
/// find each other's rows and columns in L2.
template <int BM, int BN>
__device__ TilePlace place_of_tile(const Sums& sums, int64_t tile) {
  constexpr int BAND = 8;  // rows of tiles
  const int64_t first = tile / (BAND * sums.tiles_n) * BAND, in_band = tile % (BAND * sums.tiles_n);
  const int64_t height = min(sums.tiles_m - first, int64_t{BAND});
  return {(first + in_band % height) * BM, in_band / height * BN};
}

/// Leaves `count` bands of a tile of FP64Tile to FP64, from the band on that holds this element. C keeps its values there until
/// launch_fp64_tiles() computes them. Does nothing outside C.
__device__ inline void leave_to_fp64(const Sums& sums, const Sgemm& p, int64_t row, int64_t col,
                                     int count = FP64Tile::BANDS) {
  if (row >= p.M || col >= p.N) return;
  const int64_t tile = row / FP64Tile::BM * ceil_div(p.N, FP64Tile::BN) + col / FP64Tile::BN;
  const int band = static_cast<int>(row % FP64Tile::BM / FP64Tile::BAND);
  atomicOr(&sums.marks[tile], ((1u << count) - 1) << band);
}

constexpr int ADD_THREADS = 1024;

/// Adds the sums over the parts of K, in the order of k. A block works on one of FP64Tile's tiles.
static __global__ void __launch_bounds__(ADD_THREADS)
    add_parts_kernel(const Sgemm p, const Lines lines, const Sums sums) {
  wait_for_previous_kernel();
  constexpr int ROWS_AT_A_TIME = ADD_THREADS / FP64Tile::BN;
  constexpr int COUNT = FP64Tile::BM / ROWS_AT_A_TIME;
  const int64_t tiles_n = ceil_div(p.N, FP64Tile::BN);
  const int64_t tile_row = blockIdx.x / tiles_n * FP64Tile::BM;
  const int64_t tile_col = blockIdx.x % tiles_n * FP64Tile::BN;
  const int64_t col = tile_col + threadIdx.x % FP64Tile::BN;
  const int64_t first_row = tile_row + threadIdx.x / FP64Tile::BN;

  double total[COUNT] = {};  // there may be many parts: FP32 would round each addition
  for (int64_t part = 0; part < sums.parts; ++part) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
      const int64_t row = first_row + i * ROWS_AT_A_TIME;
      if (row < p.M && col < p.N) total[i] += sums.of_parts[(part * p.M + row) * sums.pitch + col];
    }
  }

  Energy rows, cols;
#pragma unroll
  for (int i = 0; i < COUNT; ++i) {
    const int64_t row = first_row + i * ROWS_AT_A_TIME;
    if (row < p.M) rows.add(lines.line(row).total());
  }
  if (col < p.N) cols = lines.line(p.M + col).total();
  cols.add_lanes();

  const auto K = static_cast<float>(p.K);
  float product[COUNT];
  bool in_doubt = false;
  // Of the warp's sums. Its lanes have the same rows, and a column each.
  Cancellation cancellation{.energies = rows.squares * cols.squares};
#pragma unroll
  for (int i = 0; i < COUNT; ++i) {
    const int64_t row = first_row + i * ROWS_AT_A_TIME;
    if (row >= p.M || col >= p.N) continue;
    const Line row_line = lines.line(row), col_line = lines.line(p.M + col);
    const auto sum = static_cast<float>(total[i]);
    const Finished finished = finish(sum, K, row_line, col_line);
    product[i] = finished.product;
    in_doubt = in_doubt || finished.is_in_doubt;
    cancellation.add(sum, rows.weight(row_line.unscale), cols.weight(col_line.unscale));
  }
  const bool cancels = cancellation.is_in_doubt<true>(K);
  in_doubt = __syncthreads_or(in_doubt || cancels) != 0;
  if (in_doubt) {
    if (threadIdx.x == 0) leave_to_fp64(sums, p, tile_row, tile_col);
    return;
  }
#pragma unroll
  for (int i = 0; i < COUNT; ++i) {
    const int64_t row = first_row + i * ROWS_AT_A_TIME;
    if (row >= p.M || col >= p.N) continue;
    float* c = &p.C[row * p.ldc + col];
    *c = blend(p.alpha, product[i], p.beta, c);
  }
}

/// Places the arrays that every product by parts needs, at the end of the rung's own. `layout`: a WorkspaceLayout.
template <typename LAYOUT>
void place_lines_and_sums(const Sgemm& p, LAYOUT& layout, Lines* lines, Sums* sums) {
  lines->facts = layout.template place<LineFacts>(p.M + p.N);
  lines->energies = layout.template place<unsigned long long>(p.M + p.N);
  lines->exponents = layout.template place<int>(p.M + p.N);
  sums->marks =
      layout.template place<unsigned>(ceil_div(p.M, FP64Tile::BM) * ceil_div(p.N, FP64Tile::BN));
  if (sums->parts > 1)
    sums->of_parts = layout.template place<float>(sums->parts * p.M * sums->pitch);
}

/// Makes the facts, the energies and the marks zero, and the exponents, which lie between them.
inline cudaError_t clear(const Sgemm& p, const Lines& lines, const Sums& sums,
                         cudaStream_t stream) {
  auto* first = reinterpret_cast<char*>(lines.facts);
  const auto* end = reinterpret_cast<const char*>(sums.marks + ceil_div(p.M, FP64Tile::BM) *
                                                                   ceil_div(p.N, FP64Tile::BN));
  return cudaMemsetAsync(first, 0, static_cast<size_t>(end - first), stream);
}

/// Adds the parts of K if it was divided, and computes in FP64 what was left to it.
inline cudaError_t launch_last_steps(const Sgemm& p, const Lines& lines, const Sums& sums,
                                     cudaStream_t stream) {
  if (sums.parts > 1) {
    const dim3 tiles = grid_of(ceil_div(p.M, FP64Tile::BM) * ceil_div(p.N, FP64Tile::BN));
    const cudaError_t error =
        launch_after(add_parts_kernel, tiles, ADD_THREADS, 0, stream, p, lines, sums);
    if (error != cudaSuccess) return error;
  }
  return launch_fp64_tiles(Call(p), sums.marks, stream);
}

}  // namespace ladder
