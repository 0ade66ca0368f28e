// The time of a product by rung 11's or rung 12's kernel, estimated as a sum: of each kind of work how much there is, times the
// microseconds for one of it. bench/fit_times finds the microseconds from recorded times (tile_us.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/ladder.hpp"
#include "kernels/tuned/split_plan.hpp"
#include "kernels/tuned/tile.hpp"

namespace ladder {

/// The kinds of work that take the same time with every tile, and the unit of each.
enum class CallWork : size_t {
  launches,
  c,  // megabytes of C
  loads,  // megabytes of A and B that all multiprocessors load, if each loads as much as the busiest one
  inputs,  // megabytes of A and B
  adding,  // the kernel that adds the parts of tiles
  parts,   // megabytes of the parts of tiles
  count
};

/// The kinds of work of the busiest multiprocessor whose time depends on the tile.
enum class TileWork : size_t {
  tiles,        // one after the other: to wait for a tile's first elements, and to finish it
  steps_alone,  // of BK along k, while the multiprocessor has one block
  steps_of_two,
  steps_of_three,
  steps_of_four,
  edge_steps,  // steps, if tiles reach beyond the last column of B and test their copies for that
  count
};

/// How much of each kind, or microseconds for each.
template <typename Kind>
struct Works {
  std::array<double, static_cast<size_t>(Kind::count)> of{};

  constexpr double& operator[](Kind kind) { return of[static_cast<size_t>(kind)]; }
  /// Returns the sum of products.
  constexpr double times(const Works& us) const {
    double sum = 0;
    for (size_t i = 0; i < of.size(); ++i) sum += of[i] * us.of[i];
    return sum;
  }
};

/// The work of a plan.
struct PlanWork {
  Works<CallWork> call;
  Works<TileWork> tile;
};

/// Tiles to choose from, and the microseconds for each.
struct TimedTiles {
  std::span<const TunedTile> tiles;
  std::span<const Works<TileWork>> us;  // as many
  Works<CallWork> call_us;
};

/// Returns how many tiles the estimate counts for a block. It counts one more than the block works on if every tile is
/// cut into the same number of pieces but the pieces differ in length: such plans measured slower than their estimate.
constexpr int64_t tiles_charged_to_block(const SplitPlan& plan) {
  if (plan.line() == 0 || !plan.pieces_end_with_tiles()) return plan.most_tiles_of_block();
  const int64_t piece = plan.longest_piece();
  const bool even = piece % plan.steps == 0 || plan.steps % piece == 0;
  return plan.most_tiles_of_block() + (even ? 0 : 1);
}

/// Returns the work of the plan with this tile. The plan is of `batch` products of M x N x K, whose tiles follow each other.
constexpr PlanWork work_of(const SplitPlan& plan, const Tile& t, int64_t M, int64_t N, int64_t K,
                           int multiprocessors, int64_t batch = 1) {
  constexpr int64_t MOST_TOGETHER = 4;
  const auto megabytes = [](auto... factors) {
    return (static_cast<double>(factors) * ... * sizeof(float)) / 1e6;
  };
  const int64_t steps = plan.rounds * plan.steps + plan.longest_piece();  // of a block
  const int64_t blocks = ceil_div(plan.blocks, multiprocessors);          // of a multiprocessor
  const int64_t together = std::min<int64_t>(t.blocks, MOST_TOGETHER);
  static_assert(static_cast<int>(TileWork::steps_alone) == 1,
                "a number of blocks is a kind of work");
  const auto add_steps = [&](PlanWork& work, int64_t side_by_side, int64_t count) {
    if (side_by_side > 0)
      work.tile.of[static_cast<size_t>(side_by_side)] += static_cast<double>(count);
  };

  PlanWork work;
  work.tile[TileWork::tiles] =
      static_cast<double>(ceil_div(blocks, t.blocks) * tiles_charged_to_block(plan));
  add_steps(work, together, blocks / together * steps);
  add_steps(work, blocks % together, steps);
  const bool tests_copies = t.slices == 1 && N % t.BN != 0;  // tiles with slices always do
  if (tests_copies)
    work.tile[TileWork::edge_steps] = static_cast<double>(ceil_div(blocks, together) * steps);
  work.call[CallWork::launches] = 1;
  work.call[CallWork::c] = megabytes(batch, M, N);
  work.call[CallWork::loads] = megabytes(blocks, steps, t.BK * (t.BM + t.BN), multiprocessors);
  work.call[CallWork::inputs] = megabytes(batch, M + N, K);
  if (plan.has_parts()) {
    const int64_t tiles = plan.line_tiles();
    const int64_t parts = plan.blocks % tiles == 0 ? plan.blocks : plan.blocks + tiles;
    work.call[CallWork::adding] = 1;
    work.call[CallWork::parts] = megabytes(parts, t.BM * t.BN);
  }
  return work;
}

/// Returns the estimated time of the plan in microseconds. The plan is of `batch` products of M x N x K, as above.
constexpr double estimate_us(const SplitPlan& plan, const TimedTiles& choices, int64_t M, int64_t N,
                             int64_t K, int multiprocessors, int64_t batch = 1) {
  const Tile& t = choices.tiles[plan.choice].tile;
  const PlanWork work = work_of(plan, t, M, N, K, multiprocessors, batch);
  return work.call.times(choices.call_us) + work.tile.times(choices.us[plan.choice]);
}

}  // namespace ladder
