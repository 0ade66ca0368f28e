// The choice of rung 11's tile for a problem. It is plain arithmetic, so tests can call it without a GPU.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/ladder.hpp"
#include "kernels/tuned/tile.hpp"

namespace ladder {

/// Returns how many tiles of C the busiest multiprocessor computes. `multiprocessors` is at least 1.
constexpr int64_t tiles_of_busiest(const Tile& t, int64_t M, int64_t N, int multiprocessors) {
  return ceil_div(ceil_div(M, t.BM) * ceil_div(N, t.BN), multiprocessors);
}

/// Returns the index in `table` of the variant that should be fastest for an M x N result if each block computes one
/// tile. If several are equally fast, it returns the first. At least one variant must fit the device's shared memory.
constexpr size_t choose_tile(std::span<const TunedTile> table, int64_t M, int64_t N,
                             const Device& device) {
  // exercise b: begin
  size_t best = table.size();
  double best_time = 0;
  for (size_t i = 0; i < table.size(); ++i) {
    const Tile& t = table[i].tile;
    if (t.shared_bytes() > device.shared_bytes) continue;
    // exercise a: begin
    // The work of the busiest multiprocessor, divided by its rate. All other multiprocessors are done by then.
    const int64_t tiles = tiles_of_busiest(t, M, N, device.multiprocessors);
    const double time = static_cast<double>(tiles) * t.BM * t.BN / rate_with(table[i], tiles);
    // exercise a: end
    if (best == table.size() || time < best_time) {
      best = i;
      best_time = time;
    }
  }
  return best;
  // exercise b: end
}

}  // namespace ladder
