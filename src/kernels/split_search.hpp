// Which division of a product rung 12 takes: it estimates the time of each that is worth a thought, and takes
// the shortest. No device code: plain arithmetic that tests can call.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/ladder.hpp"
#include "kernels/split_plan.hpp"
#include "kernels/tuned/tile.hpp"

namespace ladder {

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
      if (!plan.is_possible()) return;
      const double time = estimate_us(plan, table[choice], M, N, device.multiprocessors);
      if (best_time < 0 || time < best_time) {
        best = plan;
        best_time = time;
      }
    };

    // exercise b: begin
    consider(tiles, 0);  // a block for each tile
    for (int together = 1; together <= t.blocks; ++together) {
      const int64_t blocks = int64_t{device.multiprocessors} * together;
      // Equal pieces for all; all whole tiles but the last one to two rounds are given out first.
      consider(blocks, tiles > blocks ? tiles / blocks - 1 : 0);
      // The same number of pieces for each tile, so that no block works on two.
      for (const int64_t pieces : {blocks / tiles, int64_t{2}, int64_t{4}, int64_t{8}}) {
        if (tiles * pieces <= blocks) consider(tiles * pieces, 0);
      }
    }
    // exercise b: end
  }
  return best;
}

}  // namespace ladder
