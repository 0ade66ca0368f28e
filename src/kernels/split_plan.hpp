// How rung 12 divides a product among the device's blocks. No device code: plain arithmetic that tests
// can call.
//
// The work of a tile of C along K is cut into steps of BK. All steps of all tiles, tile after tile, form
// one line, and each block takes an equal piece of it, wherever that begins and ends:
//
//     tile        |    0    |    1    |    2    |    3    |    4    |     5 tiles of 8 steps,
//     block       |  0   |   1  |  2   |   3  |   4  |  5  |  ...         some tiles are shared
//
// A block that computes a whole tile writes C. A part of a tile goes to a workspace, and a second
// kernel adds the parts of each tile, in order. Where there are many tiles, all but the last few are
// given out whole, in the order that keeps L2 warm, and only the rest is divided.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/tile.hpp"

namespace ladder {

/// A division of a product. Everything in it follows from the shape, so results do not change from run
/// to run.
struct SplitPlan {
  size_t choice;  // the place of the tile's variant in the table
  int64_t tiles_m, tiles_n;
  int64_t steps;   // of BK along K, for each tile
  int64_t blocks;  // of the grid
  int64_t rounds;  // whole tiles that each block computes first: tile = round * blocks + block

  __host__ __device__ constexpr int64_t tiles() const { return tiles_m * tiles_n; }
  __host__ __device__ constexpr int64_t whole_tiles() const { return rounds * blocks; }

  /// The length of the line in steps.
  __host__ __device__ constexpr int64_t line() const { return (tiles() - whole_tiles()) * steps; }

  /// Where a block's piece of the line begins; that of `blocks` is the line's end.
  __host__ __device__ constexpr int64_t begin(int64_t block) const {
    return line() * block / blocks;
  }

  /// The block whose piece holds a step of the line.
  __host__ __device__ constexpr int64_t owner(int64_t step) const {
    return ((step + 1) * blocks - 1) / line();
  }

  /// False if each block computes whole tiles only.
  constexpr bool has_parts() const {
    return steps > 1 && (line() % blocks != 0 || line() / blocks % steps != 0);
  }
};

/// Parts of tiles that a block can have: the end of one tile, and the beginning of another.
inline constexpr int parts_of_block = 2;

/// What a multiprocessor reaches of a variant's rate with so many warps at work: few warps cannot hide
/// each other's waits. Measured on an H200 with 2, 4, 8 and 12 warps.
constexpr double share_of_rate(int64_t warps) {
  if (warps >= 8) return 1.0;
  if (warps >= 4) return 0.9;
  return warps >= 2 ? 0.5 : 0.25;
}

/// The time in microseconds that the plan should take. The constants were fitted to an H200.
constexpr double estimate_us(const SplitPlan& plan, const TunedTile& variant, int multiprocessors) {
  constexpr double BLOCK_US = 2.0;             // a block's start and end
  constexpr double ADD_US = 2.4;               // the second kernel's
  constexpr double PART_BYTES_PER_US = 2.0e6;  // written by the first kernel and read by the second

  const Tile& t = variant.tile;
  const int64_t steps =
      plan.rounds * plan.steps + (plan.line() + plan.blocks - 1) / plan.blocks;  // of a block
  const int64_t blocks =
      (plan.blocks + multiprocessors - 1) / multiprocessors;  // of a multiprocessor
  const int64_t together = blocks < t.blocks ? blocks : t.blocks;
  const double flops = 2.0 * t.BM * t.BN * t.BK * static_cast<double>(steps * blocks);
  const double rate =
      variant.tflops * 1e6 / multiprocessors * share_of_rate(together * t.threads() / 32);
  const double time = BLOCK_US + flops / rate;
  if (!plan.has_parts()) return time;

  const int64_t tiles = plan.tiles() - plan.whole_tiles();
  const int64_t parts = plan.blocks % tiles == 0 ? plan.blocks : plan.blocks + tiles;
  return time + ADD_US +
         static_cast<double>(parts) * t.BM * t.BN * sizeof(float) / PART_BYTES_PER_US;
}

/// The plan with the least estimated time. M, N and multiprocessors are at least 1, K is at least 0,
/// the table is not empty.
constexpr SplitPlan plan_split(std::span<const TunedTile> table, int64_t M, int64_t N, int64_t K,
                               int multiprocessors) {
  SplitPlan best{};
  double best_time = -1;
  for (size_t choice = 0; choice < table.size(); ++choice) {
    const Tile& t = table[choice].tile;
    SplitPlan plan{.choice = choice,
                   .tiles_m = (M + t.BM - 1) / t.BM,
                   .tiles_n = (N + t.BN - 1) / t.BN,
                   .steps = K > 0 ? (K + t.BK - 1) / t.BK : 1,
                   .blocks = 0,
                   .rounds = 0};
    const int64_t tiles = plan.tiles();
    const auto consider = [&](int64_t blocks, int64_t rounds) {
      plan.blocks = blocks;
      plan.rounds = rounds;
      const double time = estimate_us(plan, table[choice], multiprocessors);
      if (best_time < 0 || time < best_time) {
        best = plan;
        best_time = time;
      }
    };

    consider(tiles, 0);  // a block for each tile
    for (int together = 1; together <= t.blocks; ++together) {
      const int64_t blocks = static_cast<int64_t>(multiprocessors) * together;
      // Equal pieces for all; all whole tiles but the last one to two rounds are given out first.
      if (tiles * plan.steps >= blocks) consider(blocks, tiles > blocks ? tiles / blocks - 1 : 0);
      // The same number of pieces for each tile, so that no block works on two.
      for (const int64_t pieces : {blocks / tiles, int64_t{2}, int64_t{4}, int64_t{8}}) {
        if (pieces > 1 && pieces <= plan.steps && tiles * pieces <= blocks) {
          consider(tiles * pieces, 0);
        }
      }
    }
  }
  return best;
}

}  // namespace ladder
