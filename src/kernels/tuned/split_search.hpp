// The choice of rung 12's plan for a product: it estimates the time of each promising plan and takes the shortest. It is plain
// arithmetic, so tests can call it without a GPU.
//
// The named guard: see split_plan.hpp.
#ifndef LADDER_SPLIT_SEARCH
#define LADDER_SPLIT_SEARCH

#include <cstdint>

#include "kernels/ladder.hpp"
#include "kernels/tuned/split_plan.hpp"
#include "kernels/tuned/tile.hpp"
#include "kernels/tuned/tile_times.hpp"

namespace ladder {

/// Returns the plan in which each block computes one tile of one of `batch` products of M x N x K. M, N and batch are at least 1, K is at
/// least 0.
constexpr SplitPlan undivided(size_t choice, const Tile& t, int64_t M, int64_t N, int64_t K,
                              int64_t batch = 1) {
  SplitPlan plan{.choice = choice,
                 .tiles_m = ceil_div(M, t.BM) * batch,
                 .tiles_n = ceil_div(N, t.BN),
                 .steps = K > 0 ? ceil_div(K, t.BK) : 1,
                 .blocks = 0,
                 .rounds = 0};
  plan.blocks = plan.tiles();
  return plan;
}

/// True if rung 12 may give each block one tile of this kind: rung 12 never adds a long K in one chain.
constexpr bool is_whole_choice(const Tile& t, int64_t K) {
  constexpr int64_t LONG_K = 2048;
  return t.chain > 0 || K <= LONG_K;
}

/// Calls visit(plan) for each promising plan with this tile. `choice`: the tile's index in its table.
template <typename Visit>
constexpr void for_each_plan(size_t choice, const Tile& t, int64_t M, int64_t N, int64_t K,
                             const Device& device, const Visit& visit) {
  SplitPlan plan = undivided(choice, t, M, N, K);
  const int64_t tiles = plan.tiles();
  const auto consider = [&](int64_t blocks, int64_t rounds) {
    plan.blocks = blocks;
    plan.rounds = rounds;
    if (plan.is_possible()) visit(plan);
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

/// Returns the plan with the shortest estimated time. M and N are at least 1, K is at least 0. At least one tile must fit the device's
/// shared memory.
constexpr SplitPlan plan_split(const TimedTiles& choices, int64_t M, int64_t N, int64_t K,
                               const Device& device) {
  SplitPlan best{};
  double best_us = -1;
  for (size_t choice = 0; choice < choices.tiles.size(); ++choice) {
    const Tile& t = choices.tiles[choice].tile;
    if (t.shared_bytes() > device.shared_bytes) continue;
    for_each_plan(choice, t, M, N, K, device, [&](const SplitPlan& plan) {
      const double us = estimate_us(plan, choices, M, N, K, device.multiprocessors);
      if (best_us >= 0 && us >= best_us) return;
      best = plan;
      best_us = us;
    });
  }
  return best;
}

}  // namespace ladder

#endif
