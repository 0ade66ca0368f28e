// The inner loop of rungs 11 and 12: one block computes one tile of A * B over a range of k.
//
// It is rung 10's pipeline with every size a template parameter, and with four changes that the
// H200's counters asked for (docs/tuning.md has the figures):
//
//   - The fragments of the next k are loaded while the multiply-adds of this one run, across the
//     barrier too, so no multiply-add waits for shared memory.
//   - The multiply-adds go through the thread's tile in a serpentine. From one to the next only one
//     operand changes; the other is still at hand and is not read from the register file again.
//   - The copies of a tile are issued in a few groups, spread over the steps of the tile being
//     computed. All at once they would stall the load unit.
//   - The main loop knows that everything it copies lies inside the matrices. Tiles at the edges,
//     and the last of K, are left to a second loop that tests each copy.
//
// All functions here are inlined by force: `sum` and the fragments live in registers only while they are
// variables of the kernel.
//
// All of that serves one end: a multiprocessor issues one instruction a clock on each of its four
// schedulers, and what is not a multiply-add takes the place of one.
#pragma once

#include <type_traits>

#include "kernels/async_copy.cuh"
#include "kernels/ladder.hpp"
#include "kernels/tile.hpp"
#include "kernels/vector_access.cuh"
#include "kernels/warp_lanes.cuh"

namespace ladder {

/// Adds to `sum` this thread's part of A * B for the block's tile of C, whose first element is
/// (tile_row, tile_col), over k in [k_begin, k_end). All threads of the block call it together.
/// `shared` has T.shared_bytes() bytes on a 16-byte boundary. Elements of the tile beyond the edges
/// of C come out as zeros. VECTOR: the matrices satisfy is_vector_aligned(p, 16), and k_begin is a
/// multiple of 4.
template <Tile T, bool VECTOR>
__device__ __forceinline__ void accumulate(const Sgemm& p, int64_t tile_row, int64_t tile_col,
                                           int64_t k_begin, int64_t k_end, float* shared,
                                           float (&sum)[T.TM][T.TN]) {
  static_assert(is_valid(T));
  using Lanes = WarpLanes<T.WM / T.TM, T.WN / T.TN>;
  constexpr int BK = T.BK, STAGES = T.stages, STAGE = T.stage_floats();
  constexpr int A_STRIDE = T.a_stride(), B_OFFSET = BK * A_STRIDE;  // in a stage, As then Bs
  constexpr int ROW_GROUP = T.WM / (T.TM / 4), COL_GROUP = T.WN / (T.TN / 4);
  const int thread = threadIdx.x;

  // What this thread copies: element a_k + 4i of every a_rows-th row of A, four neighbours along n of
  // every b_rows-th row of B.
  const int a_row = thread / 4, a_k = thread % 4;
  const int b_k = thread / (T.BN / 4), b_col = thread % (T.BN / 4) * 4;
  const float* a = &p.A[(tile_row + a_row) * p.lda + k_begin + a_k];
  const float* b = &p.B[(k_begin + b_k) * p.ldb + tile_col + b_col];
  const int64_t a_pass = T.a_rows() * p.lda, b_pass = T.b_rows() * p.ldb, b_tile = BK * p.ldb;
  float* a_to = &shared[a_k * A_STRIDE + a_row];
  float* b_to = &shared[B_OFFSET + b_k * T.BN + b_col];

  constexpr int B_COPIES = BK / T.b_rows();
  constexpr int COPIES = B_COPIES + T.BM / T.a_rows() * (BK / 4);
  // The i-th copy of the tile that a and b point to. Tested: of its k only the first `depth` lie in the
  // range, and it may reach beyond an edge of A or B.
  const int a_count = part_inside(p.M - tile_row, T.BM) - a_row;
  const int b_count = part_inside(p.N - tile_col, T.BN) - b_col;
  int depth = 0;
  const auto copy = [&](int i, auto tested) __attribute__((always_inline)) {
    constexpr bool TESTED = decltype(tested)::value;
    if (i < B_COPIES) {
      const int k = i * T.b_rows();
      const float* from = b + i * b_pass;
      float* to = b_to + k * T.BN;
      if (TESTED) {
        copy_async4<VECTOR>(to, from, b_k + k < depth ? b_count : 0);
      } else if (VECTOR) {
        copy_async4(to, from);
      } else {
#pragma unroll
        for (int j = 0; j < 4; ++j) copy_async(to + j, from + j);
      }
    } else {
      const int pass = (i - B_COPIES) / (BK / 4), k = (i - B_COPIES) % (BK / 4) * 4;
      const float* from = a + pass * a_pass + k;
      float* to = a_to + k * A_STRIDE + pass * T.a_rows();
      if (TESTED) {
        copy_async(to, from, pass * T.a_rows() < a_count && a_k + k < depth);
      } else {
        copy_async(to, from);
      }
    }
  };

  // What it computes: element (row + i, col + j) of each of its groups of 4 x 4.
  const int warp = thread / 32, lane = thread % 32;
  const float* a_from = &shared[warp % (T.BM / T.WM) * T.WM + 4 * Lanes::row(lane)];
  const float* b_from = &shared[B_OFFSET + warp / (T.BM / T.WM) * T.WN + 4 * Lanes::col(lane)];
  float a_frag[2][T.TM], b_frag[2][T.TN];  // of this k and of the next
  const auto fetch = [&](int k) {
#pragma unroll
    for (int g = 0; g < T.TN / 4; ++g) {
      fetch4(&b_frag[k % 2][4 * g], b_from + k % BK * T.BN + g * COL_GROUP);
    }
#pragma unroll
    for (int g = 0; g < T.TM / 4; ++g) {
      fetch4(&a_frag[k % 2][4 * g], a_from + k % BK * A_STRIDE + g * ROW_GROUP);
    }
  };
  static_assert(BK % 2 == 0, "the first fragments of a tile lie where those of the last do not");

  const int64_t tiles = ceil_div(k_end - k_begin, BK);
  if (tiles == 0) return;
  const bool inside = tile_row + T.BM <= p.M && tile_col + T.BN <= p.N;
  const int64_t untested = inside ? (k_end - k_begin) / BK : 0;  // tiles that need no test

  // Fill the ring but for its last stage.
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    depth = part_inside(k_end - (k_begin + s * BK), BK);
#pragma unroll
    for (int i = 0; i < COPIES; ++i) copy(i, std::true_type{});
    commit_async();
    a += BK;
    b += b_tile;
    a_to += STAGE;
    b_to += STAGE;
  }
  wait_async<STAGES - 2>();
  __syncthreads();  // the first tile has arrived
  fetch(0);

  // The stage that was read last is the one to be written next: the pointers that write make the
  // move of those that read one tile later.
  int until_wrap = STAGES;
  int move = -(STAGES - 1) * STAGE;
  const auto compute_tile = [&](auto tested) __attribute__((always_inline)) {
    constexpr int EVERY = (BK - 1) / T.copy_groups;
    constexpr int AT_ONCE = (COPIES + T.copy_groups - 1) / T.copy_groups;
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      if (k == BK - 1) {
        commit_async();
        a += BK;
        b += b_tile;
        a_to += move;
        b_to += move;
        until_wrap = until_wrap == 0 ? STAGES - 1 : until_wrap - 1;
        move = until_wrap == 0 ? -(STAGES - 1) * STAGE : STAGE;
        wait_async<STAGES - 2>();
        __syncthreads();  // the next tile has arrived, and everybody has fetched all of this one
        a_from += move;
        b_from += move;
      }
      if (k % EVERY == 0) {
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i) {
          if (k / EVERY * AT_ONCE + i < COPIES) copy(k / EVERY * AT_ONCE + i, tested);
        }
      }
      fetch(k + 1);
#pragma unroll
      for (int i = 0; i < T.TM; ++i) {
#pragma unroll
        for (int step = 0; step < T.TN; ++step) {
          const int j = i % 2 == 0 ? step : T.TN - 1 - step;  // the serpentine
          sum[i][j] += a_frag[k % 2][i] * b_frag[k % 2][j];
        }
      }
    }
  };

  // As long as the tile to be copied, STAGES - 1 ahead, needs no test. (A 32-bit count is cheaper in
  // the loop; what might lie beyond it is left to the second loop.)
  const int steady = part_inside(untested - (STAGES - 1), INT32_MAX);
#pragma unroll 1
  for (int left = steady; left > 0; --left) compute_tile(std::false_type{});
#pragma unroll 1
  for (int64_t tile = steady > 0 ? steady : 0; tile < tiles; ++tile) {
    depth = part_inside(k_end - (k_begin + (tile + STAGES - 1) * BK), BK);  // of none: not above 0
    compute_tile(std::true_type{});
  }
  wait_async<0>();
  __syncthreads();  // nobody may overwrite the ring while a neighbour still reads it
}

/// Calls visit(row, col, sum[..]) for each group of four neighbours along a row that this thread
/// holds; row and col are counted from the block's tile.
template <Tile T, typename Visit>
__device__ __forceinline__ void for_each_group(const float (&sum)[T.TM][T.TN], const Visit& visit) {
  using Lanes = WarpLanes<T.WM / T.TM, T.WN / T.TN>;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = warp % (T.BM / T.WM) * T.WM + 4 * Lanes::row(lane);
  const int col = warp / (T.BM / T.WM) * T.WN + 4 * Lanes::col(lane);
#pragma unroll
  for (int i = 0; i < T.TM; ++i) {
#pragma unroll
    for (int g = 0; g < T.TN / 4; ++g) {
      visit(row + i / 4 * (T.WM / (T.TM / 4)) + i % 4, col + g * (T.WN / (T.TN / 4)),
            &sum[i][4 * g]);
    }
  }
}

/// Writes C = alpha * sum + beta * C for the part of the block's tile that lies inside C.
template <Tile T, bool VECTOR>
__device__ __forceinline__ void store_tile(const Sgemm& p, int64_t tile_row, int64_t tile_col,
                                           const float (&sum)[T.TM][T.TN]) {
  const int height = part_inside(p.M - tile_row, T.BM);
  const int width = part_inside(p.N - tile_col, T.BN);
  for_each_group<T>(sum, [&](int row, int col, const float* four) {
    if (row >= height) return;
    store4<VECTOR>(&p.C[(tile_row + row) * p.ldc + tile_col + col], width - col, p.alpha, four,
                   p.beta);
  });
}

/// The place of a block's tile in C, counted in tiles.
struct TilePlace {
  int64_t row, col;
};

/// Tiles in an order that keeps L2 warm: blocks that run at the same time cover a region of C that is
/// about as high as it is wide, so that they share rows of A and columns of B. The tiles are cut into
/// bands of `band` tile rows, and each band is walked column by column.
__device__ inline TilePlace place_of(int64_t tile, int64_t tiles_m, int64_t tiles_n, int band) {
  const int64_t first = tile / (band * tiles_n) * band;
  const int64_t height = tiles_m - first < band ? tiles_m - first : band;
  const int64_t within = tile % (band * tiles_n);
  return {first + within % height, within / height};
}

}  // namespace ladder
