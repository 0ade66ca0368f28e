// The inner loop of rungs 11 and 12: one block computes one tile of A * B over a range of k.
//
// It is rung 10's pipeline with every size a template parameter, and with these changes, for which the H200's counters
// gave the reasons (figures in docs/tuning.md):
//
//   - The fragments of the next k are loaded while the multiply-adds of this one run, across the
//     barrier too, so no multiply-add waits for shared memory.
//   - The order of the multiply-adds and the registers of the sums let the register file deliver
//     operands at full rate (thread_tile.cuh).
//   - The copies of a tile are issued in a few groups, spread over the steps of the tile being
//     computed. All at once they would stall the load unit.
//   - The main loop copies without a test. A second loop copies the end of K, and tiles that reach
//     beyond the last column of B.
//   - The warps of a block may divide K among themselves (Tile::slices). A small problem has few tiles
//     unless the tiles are small, and a small tile cut among eight warps leaves a thread 2 x 4 elements:
//     shared memory is then too slow for the multiply-adds. So each slice of the warps computes the
//     whole tile, for its own part of each step along K, and a thread keeps 8 x 8 elements:
//
//         a step of BK = 64 along k       | slice 0 | slice 1 | ... | slice 7 |    8 k each
//
//     At the end the slices' sums are added in shared memory, in order.
//
// All functions here are __forceinline__: the sums and the fragments stay in registers only if they are variables of
// the kernel.
//
// All changes have one purpose: each of a multiprocessor's four schedulers issues one instruction a clock, and every
// other instruction takes the issue slot of a multiply-add.
#pragma once

#include <type_traits>

#include "device/async_copy.cuh"
#include "device/vector_access.cuh"
#include "device/warp_lanes.cuh"
#include "kernels/alignment.hpp"
#include "kernels/ladder.hpp"
#include "kernels/tuned/thread_tile.cuh"
#include "kernels/tuned/tile.hpp"

namespace ladder {

/// Passes each sum of a warp's tile to out.take(row, col, sum), so that neighbouring lanes have neighbouring columns. The lanes exchange
/// their sums in the warp's own part of `shared`, which has T.ring_floats(): the i-th row of all lanes at a time.
template <Tile T, typename Out>
__device__ __forceinline__ void give_elements(const float (&sum)[T.TM][T.TN], float* shared,
                                              const Out& out) {
  using Lanes = WarpLanes<T.WM / T.TM, T.WN / T.TN>;
  constexpr int ROWS = T.WM / T.TM, ROW_GROUP = T.WM / (T.TM / 4), COL_GROUP = T.WN / (T.TN / 4);
  constexpr int STRIDE = T.WN + 8;  // 8 more: fewer lanes meet in a bank
  static_assert(T.threads() / 32 * ROWS * STRIDE <= T.ring_floats() && T.WN % 32 == 0);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int first_row = warp % (T.BM / T.WM) * T.WM, first_col = warp / (T.BM / T.WM) * T.WN;
  float* rows = &shared[warp * ROWS * STRIDE];  // (m: ROWS, n: WN)
  float* to = &rows[Lanes::row(lane) * STRIDE + 4 * Lanes::col(lane)];
  const float* from = &rows[swapped(lane)];
#pragma unroll
  for (int i = 0; i < T.TM; ++i) {
#pragma unroll
    for (int g = 0; g < T.TN / 4; ++g) {
      *reinterpret_cast<float4*>(to + g * COL_GROUP) = swap_pairs(&sum[i][4 * g]);
    }
    __syncwarp();  // the rows are there
    float line[ROWS][T.WN / 32];
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
#pragma unroll
      for (int j = 0; j < T.WN / 32; ++j) line[row][j] = from[row * STRIDE + 32 * j];
    }
    __syncwarp();  // nobody may overwrite them while a neighbour still reads them
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
#pragma unroll
      for (int j = 0; j < T.WN / 32; ++j) {
        out.take(first_row + 4 * row + i / 4 * ROW_GROUP + i % 4, first_col + lane + 32 * j,
                 line[row][j]);
      }
    }
  }
}

/// Computes the block's tile of A * B, whose first element is (tile_row, tile_col), over k in [k_begin, k_end). For
/// each group of four neighbours along a row, one thread calls out.take(row, col, sum[4]); row and col count from the
/// tile's first element. If out.wants_elements(), it calls out.take(row, col, sum) for each element instead, and neighbouring lanes have
/// neighbouring elements: without vector access that is how a warp writes whole sectors. All threads call block_product() together.
/// `shared` has T.shared_bytes() bytes on a 16-byte boundary. Elements of the tile outside C may have any value.
/// VECTOR: the problem satisfies are_b_and_c_vector_aligned(p, 16), and `out` gets groups.
template <Tile T, bool VECTOR, typename Out>
__device__ __forceinline__ void block_product(const Sgemm& p, int64_t tile_row, int64_t tile_col,
                                              int64_t k_begin, int64_t k_end, float* shared,
                                              const Out& out) {
  static_assert(is_valid(T));
  using Lanes = WarpLanes<T.WM / T.TM, T.WN / T.TN>;
  constexpr int BK = T.BK, STAGES = T.stages, STAGE = T.stage_floats();
  constexpr int DEPTH = BK / T.slices;                              // of a slice
  constexpr int A_STRIDE = T.a_stride(), B_OFFSET = BK * A_STRIDE;  // in a stage, As then Bs
  constexpr int ROW_GROUP = T.WM / (T.TM / 4), COL_GROUP = T.WN / (T.TN / 4);
  const int thread = threadIdx.x;

  // This thread copies every a_lanes-th k of every a_rows-th row of A, and four columns of every b_rows-th row of B: four neighbours if
  // one access moves them all, otherwise columns that are B_LANES apart, so that neighbouring lanes copy neighbouring columns. Below
  // the last row of A it copies that row again; sums of such copies are never stored.
  constexpr int A_PASSES = T.BM / T.a_rows(), A_COPIES = A_PASSES * (BK / T.a_lanes());
  constexpr int B_COPIES = BK / T.b_rows(), COPIES = A_COPIES + B_COPIES;
  const int a_row = thread / T.a_lanes(), a_k = thread % T.a_lanes();
  constexpr int B_LANES = T.BN / 4;
  const int b_k = thread / B_LANES, b_col = thread % B_LANES * (VECTOR ? 4 : 1);
  const int64_t first_row = tile_row + a_row < p.M ? tile_row + a_row : p.M - 1;
  const float* a = &p.A[first_row * p.lda + k_begin + a_k];
  int64_t a_pass[A_PASSES];  // the distance from `a` to the row of each pass
#pragma unroll
  for (int i = 0; i < A_PASSES; ++i) {
    const int64_t row = tile_row + a_row + i * T.a_rows();
    a_pass[i] = ((row < p.M ? row : p.M - 1) - first_row) * p.lda;
  }
  const float* b = &p.B[(k_begin + b_k) * p.ldb + tile_col + b_col];
  const int64_t b_pass = T.b_rows() * p.ldb, b_tile = BK * p.ldb;
  const int b_count =
      part_inside(p.N - tile_col, T.BN) - b_col;         // columns of B inside, from b_col on
  float* a_to = &shared[a_k * A_STRIDE + a_row];         // of a stage's (k: BK, m: BM), transposed
  float* b_to = &shared[B_OFFSET + b_k * T.BN + b_col];  // of a stage's (k: BK, n: BN)

  // Issues the i-th copy of the tile that a and b point to. Tested: only the first `depth` k of the tile lie in the
  // range, and the tile may reach beyond the last column of B. (Untested: depth is BK.) With tested copies a block at
  // that edge takes longer, and if there is only one wave of blocks, all blocks wait for it. So the tiles of small
  // problems pass the number of columns to every copy instead.
  constexpr bool EDGE_UNTESTED = T.slices > 1;
  const auto copy_b = [&](float* to, const float* from, int count) __attribute__((always_inline)) {
    if constexpr (VECTOR) {
      copy_async4<VECTOR>(to, from, count);
    } else {
#pragma unroll
      for (int j = 0; j < T.BN; j += B_LANES) copy_async(to + j, from + j, j < count);
    }
  };
  const auto copy = [&](int i, int depth, auto tested) __attribute__((always_inline)) {
    constexpr bool TESTED = decltype(tested)::value;
    if (i < B_COPIES) {
      const int k = i * T.b_rows();
      const float* from = b + i * b_pass;
      float* to = b_to + k * T.BN;
      if (TESTED) {
        copy_b(to, from, b_k + k < depth ? b_count : 0);
      } else if (EDGE_UNTESTED) {
        copy_b(to, from, b_count);
      } else if (VECTOR) {
        copy_async4(to, from);
      } else {
#pragma unroll
        for (int j = 0; j < T.BN; j += B_LANES) copy_async(to + j, from + j);
      }
    } else {
      const int pass = (i - B_COPIES) % A_PASSES, k = (i - B_COPIES) / A_PASSES * T.a_lanes();
      const float* from = a + a_pass[pass] + k;
      float* to = a_to + k * A_STRIDE + pass * T.a_rows();
      if (TESTED) {
        copy_async(to, from, a_k + k < depth);
      } else {
        copy_async(to, from);
      }
    }
  };
  const auto next_tile = [&]() __attribute__((always_inline)) {
    commit_async();
    a += BK;
    b += b_tile;
  };

  // It computes groups of 4 x 4 elements over its slice of k. The first group begins at (row, col) of the tile.
  const int warp = thread / 32, lane = thread % 32;
  constexpr int WARPS = T.BM / T.WM * (T.BN / T.WN);  // of a slice
  const int slice = warp / WARPS;
  const int row = warp % WARPS % (T.BM / T.WM) * T.WM + 4 * Lanes::row(lane);
  const int col = warp % WARPS / (T.BM / T.WM) * T.WN + 4 * Lanes::col(lane);
  const float* a_from = &shared[slice * DEPTH * A_STRIDE + row];         // of (k: DEPTH, m: BM)
  const float* b_from = &shared[B_OFFSET + slice * DEPTH * T.BN + col];  // of (k: DEPTH, n: BN)
  float a_frag[2][T.TM], b_frag[2][T.TN];  // (m: TM), (n: TN), of this k and of the next
  const auto fetch = [&](int k) __attribute__((always_inline)) {
#pragma unroll
    for (int g = 0; g < T.TN / 4; ++g) {
      fetch4(&b_frag[k % 2][4 * g], b_from + k % DEPTH * T.BN + g * COL_GROUP);
    }
#pragma unroll
    for (int g = 0; g < T.TM / 4; ++g) {
      fetch4(&a_frag[k % 2][4 * g], a_from + k % DEPTH * A_STRIDE + g * ROW_GROUP);
    }
  };
  static_assert(DEPTH % 2 == 0, "the first fragments of a tile lie where those of the last do not");

  const int64_t tiles = ceil_div(k_end - k_begin, BK);

  // Fill the ring except its last stage.
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    const int depth = part_inside(k_end - (k_begin + s * BK), BK);
    if (depth > 0) {
#pragma unroll
      for (int i = 0; i < COPIES; ++i) copy(i, depth, std::true_type{});
    }
    next_tile();
    a_to += STAGE;
    b_to += STAGE;
  }
  wait_async<STAGES - 2>();
  __syncthreads();  // the first tile has arrived
  if (tiles > 0) fetch(0);

  // The writer is always one stage behind the reader, so it repeats the reader's previous move. `move` holds that move
  // until the reader's next one replaces it.
  float sum[T.TM][T.TN] = {};  // (m: TM, n: TN)
  int until_wrap = STAGES;
  int move = -(STAGES - 1) * STAGE;
  const auto compute_tile = [&](int depth, auto tested, bool last) __attribute__((always_inline)) {
    constexpr bool TESTED = decltype(tested)::value;
    constexpr int EVERY = (DEPTH - 1) / T.copy_groups;
    constexpr int AT_ONCE = (COPIES + T.copy_groups - 1) / T.copy_groups;
    if (TESTED && depth > 0) {
#pragma unroll
      for (int i = 0; i < COPIES; ++i) copy(i, depth, tested);
    }
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) {
      if (k == DEPTH - 1) {
        next_tile();
        a_to += move;
        b_to += move;
        until_wrap = until_wrap == 0 ? STAGES - 1 : until_wrap - 1;
        move = until_wrap == 0 ? -(STAGES - 1) * STAGE : STAGE;
        wait_async<STAGES - 2>();
        __syncthreads();  // the next tile has arrived, and all threads have fetched this one
        if (!last) {      // after the last tile, fetch() reads its first k again, unused
          a_from += move;
          b_from += move;
        }
      }
      if (!TESTED && k % EVERY == 0) {
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i) {
          if (k / EVERY * AT_ONCE + i < COPIES) copy(k / EVERY * AT_ONCE + i, depth, tested);
        }
      }
      fetch(k + 1);
      multiply_add(sum, a_frag[k % 2], b_frag[k % 2]);
    }
  };

  // The first loop runs as long as the tile to be copied, STAGES - 1 ahead, needs no test. (A 32-bit count is cheaper
  // in the loop; the second loop computes any tiles beyond it.)
  SumOfChains<T> total(shared + T.ring_floats(), (k_end - k_begin) / T.slices);
  const bool inside = EDGE_UNTESTED || tile_col + T.BN <= p.N;
  const int64_t untested = inside ? (k_end - k_begin) / BK - (STAGES - 1) : 0;
  const int steady = part_inside(untested, INT32_MAX);
  int left_of_chain = total.steps();
  const auto count = [&](int computed) __attribute__((always_inline)) {
    if constexpr (T.chain > 0) {
      left_of_chain -= computed;
      if (left_of_chain > 0) return;
      total.take(sum);
      left_of_chain = total.steps();
    }
  };
#pragma unroll 1
  for (int left = steady; left > 0;) {
    const int now = T.chain > 0 && left_of_chain < left ? left_of_chain : left;
#pragma unroll 1
    for (int i = now; i > 0; --i) compute_tile(BK, std::false_type{}, false);
    left -= now;
    count(now);
  }
#pragma unroll 1
  for (int64_t tile = steady > 0 ? steady : 0; tile < tiles; ++tile) {
    // The depth of the tile to be copied; 0 or less if there is none.
    const int depth = part_inside(k_end - (k_begin + (tile + STAGES - 1) * BK), BK);
    compute_tile(depth, std::true_type{}, tile == tiles - 1);
    count(1);
  }
  total.give(sum);
  wait_async<0>();
  __syncthreads();  // nobody may overwrite the ring while a neighbour still reads it

  // Pass the sums to `out`. Sums of slices are first added in shared memory, in order.
  const bool elements = !VECTOR && out.wants_elements();
  if constexpr (T.slices == 1) {
    if (elements) {
      give_elements<T>(sum, shared, out);
      __syncthreads();  // nobody may overwrite the ring while a neighbour still reads its part of it
    } else {
#pragma unroll
      for (int i = 0; i < T.TM; ++i) {
#pragma unroll
        for (int g = 0; g < T.TN / 4; ++g) {
          out.take(row + i / 4 * ROW_GROUP + i % 4, col + g * COL_GROUP, &sum[i][4 * g]);
        }
      }
    }
  } else {
    float* sums = &shared[slice * T.sum_floats()];
#pragma unroll
    for (int i = 0; i < T.TM; ++i) {
#pragma unroll
      for (int g = 0; g < T.TN / 4; ++g) {
        const int sum_row = row + i / 4 * ROW_GROUP + i % 4;
        *reinterpret_cast<float4*>(&sums[T.sum_row(sum_row) + col + g * COL_GROUP]) =
            swap_pairs(&sum[i][4 * g]);
      }
    }
    __syncthreads();  // the sums of all slices are there
    if (elements) {
      constexpr int AT_ONCE = T.threads() / T.BN;  // rows
      static_assert(T.BM % AT_ONCE == 0 && (AT_ONCE & (AT_ONCE - 1)) == 0);
      const int out_row = thread / T.BN, out_col = thread % T.BN;
      const float* from = &shared[T.sum_row(out_row) + swapped(out_col)];
#pragma unroll
      for (int i = 0; i < T.BM; i += AT_ONCE) {
        float total = 0.0f;
#pragma unroll
        for (int s = 0; s < T.slices; ++s) total += from[T.sum_row(i) + s * T.sum_floats()];
        out.take(out_row + i, out_col, total);
      }
    } else {
      for (int group = thread; group < T.BM * T.BN / 4; group += T.threads()) {
        const int out_row = group / (T.BN / 4), out_col = group % (T.BN / 4) * 4;
        const float* from = &shared[T.sum_row(out_row) + out_col];
        float four[4] = {};
#pragma unroll
        for (int s = 0; s < T.slices; ++s) {
          add_swapped(four, *reinterpret_cast<const float4*>(from + s * T.sum_floats()));
        }
        out.take(out_row, out_col, four);
      }
    }
    __syncthreads();  // nobody may overwrite the sums while a neighbour still reads them
  }
}

/// Where the sums of a block's tile go if the block computes all of it: C = alpha * sum + beta * C. Skips what lies outside C.
template <bool VECTOR>
struct IntoC {
  const Sgemm& p;
  int64_t tile_row, tile_col;

  static __device__ constexpr bool wants_elements() { return true; }

  __device__ __forceinline__ void take(int row, int col, const float* four) const {
    if (tile_row + row >= p.M) return;
    store4<VECTOR>(at(row, col), part_inside(p.N - tile_col - col, 4), p.alpha, four, p.beta);
  }
  __device__ __forceinline__ void take(int row, int col, float sum) const {
    if (tile_row + row >= p.M || tile_col + col >= p.N) return;
    float* c = at(row, col);
    *c = blend(p.alpha, sum, p.beta, c);
  }
  __device__ __forceinline__ float* at(int row, int col) const {
    return &p.C[(tile_row + row) * p.ldc + tile_col + col];
  }
};

/// The place of a block's tile in C, in tiles.
struct TilePlace {
  int64_t row, col;
};

/// Returns the place of a tile in an order that reuses L2: blocks that run at the same time cover an about square
/// region of C, so they share rows of A and columns of B. The order cuts C into bands of `band` tile rows and walks
/// each band column by column.
__device__ inline TilePlace place_of(int64_t tile, int64_t tiles_m, int64_t tiles_n, int band) {
  const int64_t first = tile / (band * tiles_n) * band;
  const int64_t height = tiles_m - first < band ? tiles_m - first : band;
  const int64_t within = tile % (band * tiles_n);
  return {first + within % height, within / height};
}

}  // namespace ladder
