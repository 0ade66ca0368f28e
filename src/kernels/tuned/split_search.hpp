// The choice of rung 12's division of a product: it estimates the time of each promising division and takes the
// shortest. It is plain arithmetic, so tests can call it without a GPU.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/ladder.hpp"
#include "kernels/tuned/split_plan.hpp"
#include "kernels/tuned/tile.hpp"

namespace ladder {

/// Returns how many tiles the estimate counts for a block. It counts one more than the block works on if every tile is
/// cut into the same number of pieces but the pieces differ in length: such plans measured slower than their estimate.
constexpr int64_t tiles_charged_to_block(const SplitPlan& plan) {
  if (plan.line() == 0 || !plan.pieces_end_with_tiles()) return plan.most_tiles_of_block();
  const int64_t piece = plan.longest_piece();
  const bool even = piece % plan.steps == 0 || plan.steps % piece == 0;
  return plan.most_tiles_of_block() + (even ? 0 : 1);
}

/// Returns the estimated time of the plan for an M x N result, in microseconds. The constants are fitted to an H200,
/// see docs/tuning.md.
constexpr double estimate_us(const SplitPlan& plan, const TunedTile& variant, int64_t M, int64_t N,
                             int multiprocessors) {
  constexpr double LAUNCH_US = 1.6;
  constexpr double TILE_US = 1.2;         // to wait for a tile's first elements, and to finish it
  constexpr double ADD_US = 2.5;          // for the second kernel
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

/// Returns the plan with the shortest estimated time. M and N are at least 1, K is at least 0. At least one variant
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
      // Equal pieces for all blocks. Blocks first compute whole tiles, until one to two rounds remain.
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

/// Returns how many times longer a product takes with accesses of 4 bytes to B and C: measured on an H200.
constexpr double slower_by(bool vector) { return vector ? 1 : 1.2; }

/// Returns the estimated time of one product by rung 12, in microseconds. With few rows or columns it is the time to read the large
/// matrix. `table`: rung 12's. M, N, K as above. `vector`: B and C are accessed 16 bytes at a time.
constexpr double estimate_product_us(std::span<const TunedTile> table, int64_t M, int64_t N,
                                     int64_t K, bool vector, const Device& device) {
  if (M <= FEW_LINES || N <= FEW_LINES) {
    constexpr double LAUNCH_US = 1.6, BYTES_PER_US = 4.2e6;  // of an H200
    const double bytes =
        (static_cast<double>(M) + static_cast<double>(N)) * static_cast<double>(K) * sizeof(float);
    return LAUNCH_US + bytes / BYTES_PER_US;
  }
  const SplitPlan plan = plan_split(table, M, N, K, device);
  return estimate_us(plan, table[plan.choice], M, N, device.multiprocessors) * slower_by(vector);
}

/// How the products of a batch are computed: all in one launch, a block of rung 11's kernel for each tile, with this variant; or one
/// after the other, each by its own plan.
struct BatchPlan {
  bool together;
  size_t choice;
  double us;  // estimated
};

/// Returns the faster way by the estimate above. `alone_us`: the estimated time of one product by itself. `table`: rung 11's. M, N, K
/// and `vector` as above. A long K takes no tile that adds it in one chain.
constexpr BatchPlan plan_batch(std::span<const TunedTile> table, double alone_us, int64_t M,
                               int64_t N, int64_t K, bool vector, int64_t batch,
                               const Device& device) {
  constexpr int64_t LONG_K = 1024;
  BatchPlan best{.together = false, .choice = 0, .us = static_cast<double>(batch) * alone_us};
  for (size_t choice = 0; choice < table.size(); ++choice) {
    const Tile& t = table[choice].tile;
    if (t.shared_bytes() > device.shared_bytes || (t.chain == 0 && K > LONG_K)) continue;
    SplitPlan plan{.choice = choice,
                   .tiles_m = ceil_div(M, t.BM) * batch,
                   .tiles_n = ceil_div(N, t.BN),
                   .steps = K > 0 ? ceil_div(K, t.BK) : 1,
                   .blocks = 0,
                   .rounds = 0};
    plan.blocks = plan.tiles();
    if (!plan.is_possible()) continue;
    const double time =
        estimate_us(plan, table[choice], M * batch, N, device.multiprocessors) * slower_by(vector);
    if (time < best.us) best = {.together = true, .choice = choice, .us = time};
  }
  return best;
}

}  // namespace ladder
