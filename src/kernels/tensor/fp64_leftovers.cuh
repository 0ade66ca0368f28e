// The last step of a product by parts that computes lost lines alone: all that it left over, in FP64.
//
// Three lists say what is left: rows of C, columns of C, and bands of 16 rows x 64 columns in which some sums are in doubt. A row or a
// column may lie anywhere, so a block gathers 16 of them for a tile. Usually all lists are empty, and the kernel takes about a
// microsecond.
//
// If there are fewer tiles than blocks, several blocks share a tile: each adds a part of K, and the last one to be done adds the parts, in
// order. Otherwise a single band of a product with K = 5000 would take 140 us.
//
// Each element of C is computed once: a lost row has all its elements, a lost column those outside lost rows, a band the others. The
// order of a sum depends on K and on the number of tiles only, so the order of the lists does not matter.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/vector_access.cuh"
#include "kernels/ladder.hpp"
#include "kernels/tensor/known_lines.cuh"
#include "kernels/tensor/op_elements.cuh"
#include "kernels/tuned/launch_after.cuh"

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

/// The lists of one product, or of the first of a batch, behind which the others' lie. They have room for all rows, all columns and all
/// bands.
struct Leftovers {
  LeftoverCounts* counts;
  int* rows;
  int* cols;
  Band* bands;
  LineRecords of_rows, of_cols;  // of A and of B

  int blocks;  // of fp64_leftovers_kernel, for each product

  // Of the tiles that several blocks share. A block works on one such tile at most.
  static constexpr int SUMS_OF_TILE = Band::ROWS * Band::COLS;
  double* sums;       // (block, a tile's elements: SUMS_OF_TILE)
  unsigned* arrived;  // (tile: blocks), the blocks whose sums are there; they begin at zero

  __host__ __device__ static constexpr int64_t bands_of(const Sgemm& p) {
    return ceil_div(p.M, Band::ROWS) * ceil_div(p.N, Band::COLS);
  }
  /// Returns how many elements `sums` has for a product. A single block shares no tile.
  __host__ __device__ constexpr int64_t sums_of_product() const {
    return blocks == 1 ? 0 : int64_t{blocks} * SUMS_OF_TILE;
  }
  /// Returns the lists of the product `p`, the i-th of the batch.
  __host__ __device__ Leftovers of_product(const Sgemm& p, int64_t i) const {
    return {.counts = counts + i,
            .rows = rows + i * p.M,
            .cols = cols + i * p.N,
            .bands = bands + i * bands_of(p),
            .of_rows = of_rows.of_product(i),
            .of_cols = of_cols.of_product(i),
            .blocks = blocks,
            .sums = sums + i * sums_of_product(),
            .arrived = arrived + i * blocks};
  }

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

/// A block's share of a tile: a part of K. A tile with one part is the block's alone.
struct LeftoverShare {
  int64_t tile;
  int parts, part;
  int64_t k_begin, k_end;
};

/// Adds a thread's sums of all parts of a tile, if this is the last block of the tile to come. Returns whether it is. `mine`: the
/// thread's sums of this block's part; they become the sums of all parts. All threads call it.
template <int SUMS>
__device__ bool add_leftover_parts(const Leftovers& left, const LeftoverShare& share,
                                   double (&mine)[SUMS]) {
  __shared__ bool is_last;
  const int thread = threadIdx.x;
  const auto sums_of = [&](int part) {
    return &left.sums[(share.tile * share.parts + part) * Leftovers::SUMS_OF_TILE + thread];
  };
  if (thread < TEAM_THREADS) {
#pragma unroll
    for (int i = 0; i < SUMS; ++i) sums_of(share.part)[i * TEAM_THREADS] = mine[i];
    __threadfence();  // the sums are there before the block arrives
  }
  __syncthreads();  // all threads' sums are there
  if (thread == 0) is_last = atomicAdd(&left.arrived[share.tile], 1u) + 1 == unsigned(share.parts);
  __syncthreads();  // thread 0 has told
  if (!is_last) return false;
  __threadfence();  // the other blocks' sums are read after they arrived
  if (thread < TEAM_THREADS) {
#pragma unroll
    for (int i = 0; i < SUMS; ++i) {
      mine[i] = 0;
      for (int part = 0; part < share.parts; ++part)
        mine[i] += __ldcg(&sums_of(part)[i * TEAM_THREADS]);
    }
  }
  return true;
}

/// Computes a tile of BM rows x BN columns of C. `row_of(i)` and `col_of(j)` return the row and the column of element (i, j), or -1
/// beyond the end. `is_mine(row, col)` tells if the tile has to write this element.
template <int BM, int BN, typename ROW_OF, typename COL_OF, typename IS_MINE>
__device__ void compute_leftover_tile(const Sgemm& p, const Leftovers& left,
                                      const LeftoverShare& share, LeftoverMemory& memory,
                                      const ROW_OF& row_of, const COL_OF& col_of,
                                      const IS_MINE& is_mine) {
  constexpr int BK = LEFTOVER_BK, TM = 4, TN = 2;  // a thread's rows and columns
  static_assert(BM * BN == TM * TN * TEAM_THREADS && TM * TN == LeftoverMemory::SUMS);
  static_assert(BM * BN == Leftovers::SUMS_OF_TILE);
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
      a[i] = row >= 0 && k < share.k_end ? elements.a(row, k) : 0;
    }
#pragma unroll
    for (int i = 0; i < COUNT_B; ++i) {
      const int at = thread + i * TEAM_THREADS;
      const int64_t col = col_of(at % BN), k = k0 + at / BN;
      b[i] = col >= 0 && k < share.k_end ? elements.b(k, col) : 0;
    }
  };

  double sum[TM * TN] = {};  // (m: TM, n: TN)
  request(share.k_begin + team * BK);
  // Both teams go as far as the longer one.
  for (int64_t k0 = share.k_begin; k0 < share.k_end; k0 += TEAMS * BK) {
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
        for (int j = 0; j < TN; ++j) sum[i * TN + j] += As[k][m + i] * Bs[k][n + j];
      }
    }
    __syncthreads();  // nobody may overwrite a piece while a neighbour still reads it
  }
  if (team == 1) {
#pragma unroll
    for (int i = 0; i < TM * TN; ++i) memory.sums[i][thread] = sum[i];
  }
  __syncthreads();  // the second team's sums are there
  if (team == 0) {
#pragma unroll
    for (int i = 0; i < TM * TN; ++i) sum[i] += memory.sums[i][thread];
  }
  const bool writes = share.parts == 1 || add_leftover_parts(left, share, sum);
  if (writes && team == 0) {
#pragma unroll
    for (int i = 0; i < TM * TN; ++i) {
      const int64_t row = row_of(m + i / TN), col = col_of(n + i % TN);
      if (row < 0 || col < 0 || !is_mine(row, col)) continue;
      float* c = &p.C[row * p.ldc + col];
      const double product = p.alpha * sum[i];
      *c = static_cast<float>(p.beta == 0 ? product : product + static_cast<double>(p.beta) * *c);
    }
  }
  __syncthreads();  // nobody may begin the next tile before these sums are read
}

/// Returns how many blocks of `blocks` share each tile: one, if there are as many tiles as blocks. `tiles` may be 0; K is at least 1.
__host__ __device__ constexpr int leftover_parts(int64_t tiles, int64_t K, int64_t blocks) {
  constexpr int64_t LEAST_K = 128;  // of a part
  if (tiles == 0 || tiles >= blocks) return 1;
  const int64_t shared_by = blocks / tiles, most = ceil_div(K, LEAST_K);
  return static_cast<int>(shared_by < most ? shared_by : most);
}

/// Computes what is left of the product blockIdx.y.
static __global__ void __launch_bounds__(LEFTOVER_THREADS)
    fp64_leftovers_kernel(const Call call, const Leftovers left_of_all) {
  const Sgemm p = call.product_at(blockIdx.y);
  const Leftovers left = left_of_all.of_product(p, blockIdx.y);
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
  const int64_t tiles_of_row = ceil_div(p.N, WIDTH), tiles_of_col = ceil_div(p.M, WIDTH);
  const int64_t row_tiles = tiles_of_row * ceil_div(counts.rows, LINES);
  const int64_t col_tiles = tiles_of_col * ceil_div(counts.cols, LINES);
  const int64_t tiles = row_tiles + col_tiles + counts.bands;
  const int parts = leftover_parts(tiles, p.K, gridDim.x);
  const int64_t chunk = ceil_div(p.K, parts);

  for (int64_t i = blockIdx.x; i < tiles * parts; i += gridDim.x) {
    const int64_t k_begin = i % parts * chunk;
    const LeftoverShare share{.tile = i / parts,
                              .parts = parts,
                              .part = static_cast<int>(i % parts),
                              .k_begin = k_begin,
                              .k_end = min(k_begin + chunk, p.K)};
    if (share.tile < row_tiles) {
      const int64_t first = share.tile / tiles_of_row * LINES;
      const int64_t first_col = share.tile % tiles_of_row * WIDTH;
      compute_leftover_tile<LINES, WIDTH>(
          p, left, share, memory,
          [&](int m) { return first + m < counts.rows ? int64_t{left.rows[first + m]} : -1; },
          [&](int n) { return first_col + n < p.N ? first_col + n : -1; },
          [](int64_t, int64_t) { return true; });
    } else if (share.tile < row_tiles + col_tiles) {
      const int64_t first = (share.tile - row_tiles) / tiles_of_col * LINES;
      const int64_t first_row = (share.tile - row_tiles) % tiles_of_col * WIDTH;
      compute_leftover_tile<WIDTH, LINES>(
          p, left, share, memory, [&](int m) { return first_row + m < p.M ? first_row + m : -1; },
          [&](int n) { return first + n < counts.cols ? int64_t{left.cols[first + n]} : -1; },
          [&](int64_t row, int64_t) { return !row_is_lost(row); });
    } else {
      const Band band = left.bands[share.tile - row_tiles - col_tiles];
      compute_leftover_tile<Band::ROWS, Band::COLS>(
          p, left, share, memory,
          [&](int m) { return band.row + m < p.M ? int64_t{band.row + m} : -1; },
          [&](int n) { return band.col + n < p.N ? int64_t{band.col + n} : -1; },
          [&](int64_t row, int64_t col) { return !row_is_lost(row) && !col_is_lost(col); });
    }
  }
}

inline cudaError_t launch_fp64_leftovers(const Call& call, const Leftovers& left,
                                         cudaStream_t stream) {
  return launch_after(fp64_leftovers_kernel, grid_for_batch(left.blocks, call.batch),
                      LEFTOVER_THREADS, 0, stream, call, left);
}

}  // namespace ladder
