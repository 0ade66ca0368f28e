// Rung 12's kernels for one variant of the tile. bench/tune launches them for all that it tries.
#pragma once

#include "kernels/block_product.cuh"
#include "kernels/ladder.hpp"
#include "kernels/split_plan.hpp"
#include "kernels/stream_workspace.hpp"
#include "kernels/tile.hpp"
#include "kernels/vector_access.cuh"

namespace ladder {

/// The place in the workspace of a block's part of a tile: it has at most one that begins where the
/// tile does, and one that does not.
__host__ __device__ constexpr int64_t part_place(int64_t block, bool begins_tile) {
  return parts_of_block * block + (begins_tile ? 1 : 0);
}

/// Each block computes its share of the plan: whole tiles into C, parts of tiles into `parts`.
/// Variant::tile is the Tile; VECTOR as in accumulate().
template <typename Variant, bool VECTOR>
__global__ void __launch_bounds__(Variant::tile.threads(), Variant::tile.blocks)
    stream_k_kernel(const Sgemm p, const SplitPlan plan, const int band, float* parts) {
  constexpr Tile T = Variant::tile;
  extern __shared__ __align__(16) float shared[];

  // First whole tiles, then a piece of the line.
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

    float sum[T.TM][T.TN] = {};
    accumulate<T, VECTOR>(p, tile_row, tile_col, first * T.BK,
                          last == plan.steps ? p.K : last * T.BK, shared, sum);
    if (first == 0 && last == plan.steps) {
      store_tile<T, VECTOR>(p, tile_row, tile_col, sum);
    } else {
      float* part = parts + part_place(blockIdx.x, first == 0) * (T.BM * T.BN);
      for_each_group<T>(sum, [&](int row, int col, const float* four) {
        *reinterpret_cast<float4*>(&part[row * T.BN + col]) = {four[0], four[1], four[2], four[3]};
      });
    }
  }
}

/// One thread for SLICES-th parts of four neighbours of a tile. The parts of a tile are cut into SLICES
/// runs, each thread adds one run in order, and the runs' sums are added in order. Grid: x counts groups
/// of threads within a tile fastest, then the tiles of the line.
template <typename Variant, bool VECTOR, int SLICES>
__global__ void __launch_bounds__(256)
    add_parts_kernel(const Sgemm p, const SplitPlan plan, const int band, const float* parts) {
  constexpr Tile T = Variant::tile;
  constexpr int GROUPS = 256 / SLICES;  // groups of four neighbours that the block adds
  constexpr int BLOCKS = T.BM * T.BN / 4 / GROUPS;
  __shared__ float4 sums[SLICES][GROUPS];

  const int64_t tile = blockIdx.x / BLOCKS;
  const int64_t first = plan.owner(tile * plan.steps);
  const int64_t last = plan.owner((tile + 1) * plan.steps - 1);
  if (first == last) return;  // one block computed the whole tile and has written it

  const int slice = threadIdx.x / GROUPS;
  const int element = static_cast<int>(blockIdx.x % BLOCKS * GROUPS + threadIdx.x % GROUPS) * 4;
  const int64_t count = last + 1 - first;
  float4 sum{};
#pragma unroll 8
  for (int64_t block = first + count * slice / SLICES; block < first + count * (slice + 1) / SLICES;
       ++block) {
    const float4 part = *reinterpret_cast<const float4*>(
        &parts[part_place(block, block == first) * (T.BM * T.BN) + element]);
    sum.x += part.x;
    sum.y += part.y;
    sum.z += part.z;
    sum.w += part.w;
  }
  if (SLICES > 1) {
    sums[slice][threadIdx.x % GROUPS] = sum;
    __syncthreads();  // the sums of all runs are there
    if (slice != 0) return;
#pragma unroll
    for (int s = 1; s < SLICES; ++s) {
      const float4 part = sums[s][threadIdx.x % GROUPS];
      sum.x += part.x;
      sum.y += part.y;
      sum.z += part.z;
      sum.w += part.w;
    }
  }

  const TilePlace place = place_of(plan.whole_tiles() + tile, plan.tiles_m, plan.tiles_n, band);
  const int64_t row = place.row * T.BM + element / T.BN;
  const int64_t col = place.col * T.BN + element % T.BN;
  if (row >= p.M) return;
  const float four[4] = {sum.x, sum.y, sum.z, sum.w};
  store4<VECTOR>(&p.C[row * p.ldc + col], part_inside(p.N - col, 4), p.alpha, four, p.beta);
}

/// Launches both kernels, or the first alone where no tile is shared.
template <typename Variant, bool VECTOR>
cudaError_t launch_plan(const Sgemm& p, const SplitPlan& plan, int multiprocessors,
                        cudaStream_t stream) {
  constexpr Tile T = Variant::tile;
  const auto kernel = stream_k_kernel<Variant, VECTOR>;
  const cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, T.shared_bytes());
  if (error != cudaSuccess) return error;

  const int band = band_height(T, multiprocessors);
  if (!plan.has_parts()) {
    kernel<<<grid_of(plan.blocks), T.threads(), T.shared_bytes(), stream>>>(p, plan, band, nullptr);
    return cudaGetLastError();
  }

  const StreamWorkspace parts(plan.blocks * parts_of_block * T.BM * T.BN, stream);
  if (parts.error() != cudaSuccess) return parts.error();
  kernel<<<grid_of(plan.blocks), T.threads(), T.shared_bytes(), stream>>>(p, plan, band,
                                                                          parts.data());

  // The more parts a tile has, the more threads add them side by side.
  const int64_t tiles = plan.tiles() - plan.whole_tiles();
  const int64_t threads = tiles * (T.BM * T.BN / 4);
  const int64_t parts_of_tile = plan.blocks / tiles;
  if (parts_of_tile >= 64) {
    add_parts_kernel<Variant, VECTOR, 32>
        <<<grid_of(threads * 32 / 256), 256, 0, stream>>>(p, plan, band, parts.data());
  } else if (parts_of_tile >= 8) {
    add_parts_kernel<Variant, VECTOR, 8>
        <<<grid_of(threads * 8 / 256), 256, 0, stream>>>(p, plan, band, parts.data());
  } else {
    add_parts_kernel<Variant, VECTOR, 1>
        <<<grid_of(threads / 256), 256, 0, stream>>>(p, plan, band, parts.data());
  }
  return cudaGetLastError();
}

}  // namespace ladder
