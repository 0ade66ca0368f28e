// Rung 12's kernels for one variant of the tile. bench/tune launches them for every variant that it tries.
#pragma once

#include "kernels/ladder.hpp"
#include "kernels/tuned/block_product.cuh"
#include "kernels/tuned/launch_kernel.hpp"
#include "kernels/tuned/split_plan.hpp"
#include "kernels/tuned/stream_workspace.hpp"
#include "kernels/tuned/thread_tile.cuh"
#include "kernels/tuned/tile.hpp"

namespace ladder {

/// Returns the index in the workspace of a block's part of a tile. A block has at most one part that begins its tile
/// and one that does not.
__host__ __device__ constexpr int64_t part_place(int64_t block, bool begins_tile) {
  return PARTS_OF_BLOCK * block + (begins_tile ? 1 : 0);
}

/// Returns the number of threads of a block that adds the parts of a tile. Four neighbours take `runs` threads.
__host__ __device__ constexpr int add_parts_threads(const Tile& t, int runs) {
  const int threads = t.BM * t.BN / 4 * runs;
  return threads < 256 ? threads : 256;
}

/// Where the sums of a block's tile go: into C, or into a part of COLS columns, row-major, with swapped pairs.
template <bool VECTOR, int COLS>
struct IntoCOrPart {
  IntoC<VECTOR> c;
  bool whole;
  float* part;

  __device__ __forceinline__ bool wants_elements() const { return whole; }
  __device__ __forceinline__ void take(int row, int col, const float* four) const {
    if (whole) {
      c.take(row, col, four);
    } else {
      *reinterpret_cast<float4*>(&part[row * COLS + col]) = swap_pairs(four);
    }
  }
  __device__ __forceinline__ void take(int row, int col, float sum) const { c.take(row, col, sum); }
};

/// Each block computes its share of the plan: whole tiles into C, parts of tiles into `parts`.
/// Variant::tile is the Tile; VECTOR as in block_product().
template <typename Variant, bool VECTOR>
__global__ void __launch_bounds__(Variant::tile.threads(), Variant::tile.blocks)
    stream_k_kernel(const Sgemm p, const SplitPlan plan, const int band, float* parts) {
  constexpr Tile T = Variant::tile;
  extern __shared__ __align__(16) float shared[];

  // The block first computes its whole tiles, then its piece of the line.
  int64_t round = 0;
  int64_t step = plan.begin(blockIdx.x);
  const int64_t end = plan.begin(blockIdx.x + 1);
  while (round < plan.rounds || step < end) {
    int64_t tile = 0, first = 0, last = plan.steps;
    if (round < plan.rounds) {
      tile = round * plan.blocks + blockIdx.x;
      ++round;
    } else {
      tile = step / plan.steps;
      first = step % plan.steps;
      last = end - tile * plan.steps < plan.steps ? end - tile * plan.steps : plan.steps;
      step = tile * plan.steps + last;
      tile += plan.whole_tiles();
    }
    const TilePlace place = place_of(tile, plan.tiles_m, plan.tiles_n, band);
    const int64_t tile_row = place.row * T.BM, tile_col = place.col * T.BN;

    const bool whole = first == 0 && last == plan.steps;
    float* part = parts + part_place(blockIdx.x, first == 0) * (T.BM * T.BN);
    block_product<T, VECTOR>(p, tile_row, tile_col, first * T.BK,
                             last == plan.steps ? p.K : last * T.BK, shared,
                             IntoCOrPart<VECTOR, T.BN>{{p, tile_row, tile_col}, whole, part});
  }
}

/// Adds the parts of the tiles on the line, four neighbours at a time. The parts of a tile are cut into RUNS runs. A
/// thread adds the parts of one run in order; then the runs' sums are added in order. Grid: x counts the blocks of one
/// tile first (T.BM x T.BN / 4 x RUNS threads in all), then the tiles.
template <typename Variant, bool VECTOR, int RUNS>
__global__ void __launch_bounds__(256)
    add_parts_kernel(const Sgemm p, const SplitPlan plan, const int band, const float* parts) {
  constexpr Tile T = Variant::tile;
  constexpr int THREADS = add_parts_threads(T, RUNS);
  constexpr int GROUPS = THREADS / RUNS;  // groups of four neighbours that the block adds
  constexpr int BLOCKS = T.BM * T.BN / 4 / GROUPS;
  __shared__ float4 sums[RUNS][GROUPS];

  const int64_t tile = blockIdx.x / BLOCKS;
  const int64_t first = plan.owner(tile * plan.steps);
  const int64_t last = plan.owner((tile + 1) * plan.steps - 1);
  if (first == last) return;  // one block computed the whole tile and has written it

  const int run = threadIdx.x / GROUPS;
  const int element = static_cast<int>(blockIdx.x % BLOCKS * GROUPS + threadIdx.x % GROUPS) * 4;
  const int64_t count = last + 1 - first;
  float four[4] = {};
#pragma unroll 8
  for (int64_t block = first + count * run / RUNS; block < first + count * (run + 1) / RUNS;
       ++block) {
    add_swapped(four, *reinterpret_cast<const float4*>(
                          &parts[part_place(block, block == first) * (T.BM * T.BN) + element]));
  }
  const auto c = [&] {
    const TilePlace place = place_of(plan.whole_tiles() + tile, plan.tiles_m, plan.tiles_n, band);
    return IntoC<VECTOR>{p, place.row * T.BM, place.col * T.BN};
  };
  if constexpr (VECTOR) {
    if (RUNS > 1) {
      sums[run][threadIdx.x % GROUPS] = swap_pairs(four);
      __syncthreads();  // the sums of all runs are there
      if (run != 0) return;
#pragma unroll
      for (int r = 1; r < RUNS; ++r) add_swapped(four, sums[r][threadIdx.x % GROUPS]);
    }
    c().take(element / T.BN, element % T.BN, four);
  } else {
    // Neighbouring threads write neighbouring elements.
    sums[run][threadIdx.x % GROUPS] = swap_pairs(four);
    __syncthreads();  // the sums of all runs are in shared memory
    const int first_element = static_cast<int>(blockIdx.x % BLOCKS * GROUPS) * 4;
    const IntoC<VECTOR> into = c();
    for (int i = threadIdx.x; i < GROUPS * 4; i += THREADS) {
      float total = 0.0f;
#pragma unroll
      for (int r = 0; r < RUNS; ++r) total += reinterpret_cast<const float*>(sums[r])[swapped(i)];
      into.take((first_element + i) / T.BN, (first_element + i) % T.BN, total);
    }
  }
}

template <typename Variant, bool VECTOR, int RUNS>
cudaError_t launch_add_parts(const Sgemm& p, const SplitPlan& plan, int band, const float* parts,
                             cudaStream_t stream) {
  constexpr Tile T = Variant::tile;
  constexpr int THREADS = add_parts_threads(T, RUNS);
  const dim3 grid = grid_of(plan.line_tiles() * (T.BM * T.BN / 4 * RUNS / THREADS));
  return launch_kernel(add_parts_kernel<Variant, VECTOR, RUNS>, grid, THREADS, 0, stream, p, plan,
                       band, parts);
}

/// Launches both kernels, or the first alone if no tile is shared.
template <typename Variant, bool VECTOR>
cudaError_t launch_stream_k_variant(const Sgemm& p, const SplitPlan& plan, int multiprocessors,
                                    cudaStream_t stream) {
  constexpr Tile T = Variant::tile;
  const auto kernel = stream_k_kernel<Variant, VECTOR>;
  cudaError_t error = allow_dynamic_shared(kernel, T.shared_bytes());
  if (error != cudaSuccess) return error;

  const int band = band_height(T, multiprocessors);
  if (!plan.has_parts()) {
    return launch_kernel(kernel, grid_of(plan.blocks), T.threads(), T.shared_bytes(), stream, p,
                         plan, band, nullptr);
  }

  const StreamWorkspace parts(plan.blocks * PARTS_OF_BLOCK * T.BM * T.BN, stream);
  if (parts.error() != cudaSuccess) return parts.error();
  error = launch_kernel(kernel, grid_of(plan.blocks), T.threads(), T.shared_bytes(), stream, p,
                        plan, band, parts.data());
  if (error != cudaSuccess) return error;

  // The more parts a tile has, the more threads add them side by side.
  const int64_t parts_of_tile = plan.blocks / plan.line_tiles();
  if (parts_of_tile >= 64)
    return launch_add_parts<Variant, VECTOR, 32>(p, plan, band, parts.data(), stream);
  if (parts_of_tile >= 8)
    return launch_add_parts<Variant, VECTOR, 8>(p, plan, band, parts.data(), stream);
  return launch_add_parts<Variant, VECTOR, 1>(p, plan, band, parts.data(), stream);
}

}  // namespace ladder
