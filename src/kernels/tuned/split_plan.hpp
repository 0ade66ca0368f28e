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

#include "kernels/ladder.hpp"
#include "kernels/tuned/tile.hpp"

namespace ladder {

/// A division of a product. Everything in it follows from the shape and the device, so results do not
/// change from run to run.
struct SplitPlan {
  size_t choice;  // the place of the tile's variant in the table
  int64_t tiles_m, tiles_n;
  int64_t steps;   // of BK along K, for each tile
  int64_t blocks;  // of the grid
  int64_t rounds;  // whole tiles that each block computes first: tile = round * blocks + block

  __host__ __device__ constexpr int64_t tiles() const { return tiles_m * tiles_n; }
  __host__ __device__ constexpr int64_t whole_tiles() const { return rounds * blocks; }

  /// The tiles that form the line, and its length in steps.
  __host__ __device__ constexpr int64_t line_tiles() const { return tiles() - whole_tiles(); }
  __host__ __device__ constexpr int64_t line() const { return line_tiles() * steps; }

  /// Where a block's piece of the line begins; that of `blocks` is the line's end.
  __host__ __device__ constexpr int64_t begin(int64_t block) const {
    return line() * block / blocks;
  }

  /// The block whose piece holds a step of the line.
  __host__ __device__ constexpr int64_t owner(int64_t step) const {
    return ((step + 1) * blocks - 1) / line();
  }

  /// The longest piece of the line, in steps. The shortest is one step shorter, or as long.
  __host__ __device__ constexpr int64_t longest_piece() const { return ceil_div(line(), blocks); }

  /// Whether all tiles are cut into the same number of pieces, or all pieces are the same number of tiles. The
  /// line must not be empty.
  constexpr bool pieces_end_with_tiles() const {
    return blocks % line_tiles() == 0 || line_tiles() % blocks == 0;
  }

  /// On how many tiles a block works at most, one after the other.
  constexpr int64_t most_tiles_of_block() const {
    if (line() == 0) return rounds;
    return rounds + ceil_div(longest_piece(), steps) + (pieces_end_with_tiles() ? 0 : 1);
  }

  /// False if each block computes whole tiles only.
  constexpr bool has_parts() const {
    return steps > 1 && (line() % blocks != 0 || line() / blocks % steps != 0);
  }
};

/// Parts of tiles that a block can have: the end of one tile, and the beginning of another.
inline constexpr int PARTS_OF_BLOCK = 2;

/// How many tiles the estimate counts for a block. Where each tile is cut into as many pieces, but is not a
/// whole number of the longest, that is one more than the block works on: such plans measure slower than the
/// estimate would have them.
constexpr int64_t tiles_charged_to_block(const SplitPlan& plan) {
  if (plan.line() == 0 || !plan.pieces_end_with_tiles()) return plan.most_tiles_of_block();
  const int64_t piece = plan.longest_piece();
  const bool even = piece % plan.steps == 0 || plan.steps % piece == 0;
  return plan.most_tiles_of_block() + (even ? 0 : 1);
}

/// The time in microseconds that the plan should take for an M x N result. The constants are fitted to an
/// H200, see docs/tuning.md.
constexpr double estimate_us(const SplitPlan& plan, const TunedTile& variant, int64_t M, int64_t N,
                             int multiprocessors) {
  constexpr double LAUNCH_US = 1.6;
  constexpr double TILE_US = 1.2;         // until a tile's first elements have come, and its end
  constexpr double ADD_US = 2.5;          // the second kernel's
  constexpr double BYTES_PER_US = 4.2e6;  // of C
  constexpr double PART_BYTES_PER_US = 1.6e6;  // written by the first kernel and read by the second

  const Tile& t = variant.tile;
  const int64_t steps = plan.rounds * plan.steps + plan.longest_piece();  // of a block
  const int64_t blocks = ceil_div(plan.blocks, multiprocessors);          // of a multiprocessor
  const int64_t waves = ceil_div(blocks, t.blocks);
  const double flops = 2.0 * t.BM * t.BN * t.BK * static_cast<double>(steps * blocks);
  const double time =
      LAUNCH_US + TILE_US * static_cast<double>(waves * tiles_charged_to_block(plan)) +
      flops * multiprocessors / (rate_with(variant, blocks) * 1e6) +
      static_cast<double>(M) * static_cast<double>(N) * sizeof(float) / BYTES_PER_US;
  if (!plan.has_parts()) return time;

  const int64_t tiles = plan.line_tiles();
  const int64_t parts = plan.blocks % tiles == 0 ? plan.blocks : plan.blocks + tiles;
  return time + ADD_US +
         static_cast<double>(parts) * t.BM * t.BN * sizeof(float) / PART_BYTES_PER_US;
}

/// The plan with the least estimated time. M and N are at least 1, K is at least 0; one variant at least
/// must fit the device's shared memory.
constexpr SplitPlan plan_split(std::span<const TunedTile> table, int64_t M, int64_t N, int64_t K,
                               const Device& device) {
  SplitPlan best{};
  double best_time = -1;
  for (size_t choice = 0; choice < table.size(); ++choice) {
    const Tile& t = table[choice].tile;
    if (t.shared_bytes() > device.shared_bytes) continue;
    SplitPlan plan{.choice = choice,
                   .tiles_m = ceil_div(M, t.BM),
                   .tiles_n = ceil_div(N, t.BN),
                   .steps = K > 0 ? ceil_div(K, t.BK) : 1,
                   .blocks = 0,
                   .rounds = 0};
    const int64_t tiles = plan.tiles();
    const auto consider = [&](int64_t blocks, int64_t rounds) {
      plan.blocks = blocks;
      plan.rounds = rounds;
      const double time = estimate_us(plan, table[choice], M, N, device.multiprocessors);
      if (best_time < 0 || time < best_time) {
        best = plan;
        best_time = time;
      }
    };

    consider(tiles, 0);  // a block for each tile
    for (int together = 1; together <= t.blocks; ++together) {
      const int64_t blocks = int64_t{device.multiprocessors} * together;
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
