// How rung 12 computes one product or a batch: with its own tiles and their times it decides between rung 11's kernel, a division of the
// product (split_search.hpp, which knows no table, and whose text is in rung 12's exercise), and one launch for a whole batch.
#pragma once

#include <cstdint>
#include <iterator>

#include "kernels/tuned/last_results.hpp"
#include "kernels/tuned/split_search.hpp"
#include "kernels/tuned/tile.hpp"
#include "kernels/tuned/tile_table.hpp"
#include "kernels/tuned/tile_us.hpp"

namespace ladder {

static_assert(
    std::size(WHOLE_US_4) == std::size(TUNED_TABLE) &&
        std::size(WHOLE_US_16) == std::size(TUNED_TABLE) &&
        std::size(DIVIDED_US_4) == std::size(STREAM_K_TABLE) &&
        std::size(DIVIDED_US_16) == std::size(STREAM_K_TABLE),
    "tile_us.hpp needs a line for each tile: add or remove lines, then run bench/plan_times "
    "and bench/fit_times");

/// Rung 11's tiles, of which a block computes a whole one. `vector`: B and C are accessed 16 bytes at a time.
constexpr TimedTiles whole_tiles(bool vector) {
  return vector ? TimedTiles{TUNED_TABLE, WHOLE_US_16, CALL_US_16}
                : TimedTiles{TUNED_TABLE, WHOLE_US_4, CALL_US_4};
}

/// Rung 12's tiles, which blocks may share. `vector` as above.
constexpr TimedTiles divided_tiles(bool vector) {
  return vector ? TimedTiles{STREAM_K_TABLE, DIVIDED_US_16, CALL_US_16}
                : TimedTiles{STREAM_K_TABLE, DIVIDED_US_4, CALL_US_4};
}

/// A tile for products of which each block computes one tile, and the estimated time of all products.
struct WholePlan {
  size_t choice;
  double us;
};

/// Returns the tile with which `batch` products of M x N x K take the shortest estimated time, if one launch computes all, a tile a
/// block. M, N, K and the tiles are as above; at least one tile must cut chains.
constexpr WholePlan plan_whole(const TimedTiles& choices, int64_t M, int64_t N, int64_t K,
                               int64_t batch, const Device& device) {
  WholePlan best{.choice = 0, .us = -1};
  for (size_t choice = 0; choice < choices.tiles.size(); ++choice) {
    const Tile& t = choices.tiles[choice].tile;
    if (t.shared_bytes() > device.shared_bytes || !is_whole_choice(t, K)) continue;
    const SplitPlan plan = undivided(choice, t, M, N, K, batch);
    const double us = estimate_us(plan, choices, M, N, K, device.multiprocessors, batch);
    if (best.us < 0 || us < best.us) best = {.choice = choice, .us = us};
  }
  return best;
}

/// How rung 12 computes a product: by rung 11's kernel, a tile a block, or divided.
struct ProductPlan {
  bool is_whole;
  size_t choice;    // of the whole tiles' table; the division has its own
  SplitPlan split;  // if not is_whole
  double us;        // estimated
};

/// Returns the faster way by the estimates. `whole`: rung 11's tiles. `divided`: rung 12's; if its best plan divides no tile, rung 11's
/// kernel is faster. M, N, K as above.
constexpr ProductPlan plan_product(const TimedTiles& whole, const TimedTiles& divided, int64_t M,
                                   int64_t N, int64_t K, const Device& device) {
  const WholePlan a_tile_a_block = plan_whole(whole, M, N, K, 1, device);
  const SplitPlan split = plan_split(divided, M, N, K, device);
  const double split_us = estimate_us(split, divided, M, N, K, device.multiprocessors);
  const bool is_whole = a_tile_a_block.us <= split_us || !split.has_parts();
  return {.is_whole = is_whole,
          .choice = a_tile_a_block.choice,
          .split = split,
          .us = is_whole ? a_tile_a_block.us : split_us};
}

/// Returns the estimated time of one product with an M, N or K of at most FEW_LINES by rung 12, in microseconds: the time to read or write
/// the matrices.
constexpr double estimate_few_lines_us(int64_t M, int64_t N, int64_t K) {
  constexpr double LAUNCH_US = 1.6, BYTES_PER_US = 4.2e6;  // of an H200
  const auto m = static_cast<double>(M), n = static_cast<double>(N), k = static_cast<double>(K);
  return LAUNCH_US + (m * k + k * n + m * n) * sizeof(float) / BYTES_PER_US;
}

/// What a plan of rung 12 depends on. `vector` as above.
struct PlanKey {
  int64_t M, N, K;
  bool vector;
  Device device;

  uint64_t hash() const { return hash_of(M, N, K, vector); }
  bool operator==(const PlanKey&) const = default;
};

/// Returns the estimated time of one product by rung 12, in microseconds. M and N are at least 1, K is at least 0. `vector` as above.
constexpr double estimate_product_us(int64_t M, int64_t N, int64_t K, bool vector,
                                     const Device& device) {
  if (M <= FEW_LINES || N <= FEW_LINES || K <= FEW_LINES) return estimate_few_lines_us(M, N, K);
  return plan_product(whole_tiles(vector), divided_tiles(vector), M, N, K, device).us;
}

/// How the products of a batch are computed: all in one launch, a block of rung 11's kernel for each tile, with this choice of tile; or
/// one after the other, each by its own plan.
struct BatchPlan {
  bool is_together;
  size_t choice;
  double us;  // estimated, of all products
};

/// Returns the faster way by the estimates. M, N, K and `vector` as above. `batch` is at least 1.
constexpr BatchPlan plan_batch(int64_t M, int64_t N, int64_t K, bool vector, int64_t batch,
                               const Device& device) {
  const double one_by_one =
      static_cast<double>(batch) * estimate_product_us(M, N, K, vector, device);
  if (batch == 1) return {false, 0, one_by_one};
  const WholePlan together = plan_whole(whole_tiles(vector), M, N, K, batch, device);
  if (together.us < one_by_one) return {true, together.choice, together.us};
  return {false, 0, one_by_one};
}

}  // namespace ladder
