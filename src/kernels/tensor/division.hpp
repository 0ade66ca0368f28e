// How rungs 14 to 16 divide a product among the device's blocks. It is plain arithmetic, so tests can call it without a GPU.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/grid.hpp"

namespace ladder {

/// C in tiles, and K in parts.
struct Division {
  int64_t tiles_m, tiles_n;
  int64_t parts;
  int64_t chunk;  // of K in a part, a multiple of the step

  constexpr int64_t pieces() const { return tiles_m * tiles_n * parts; }
};

/// Divides C into tiles of bm x bn, and K into parts if the device has room for a block for each tile. A part has at least
/// `least_steps` steps of bk. FP32 rounds each time a step is added, so a K of more than `most_steps` steps is divided into parts of at
/// most 16. There are at most 256. `room`: how many blocks the device holds at a time.
constexpr Division division_of(int64_t M, int64_t N, int64_t K, int64_t bm, int64_t bn, int64_t bk,
                               int64_t room, int64_t least_steps, int64_t most_steps) {
  using device::ceil_div;
  Division d{.tiles_m = ceil_div(M, bm), .tiles_n = ceil_div(N, bn), .parts = 1, .chunk = 0};
  const int64_t steps = ceil_div(K, bk), tiles = d.tiles_m * d.tiles_n;
  int64_t parts = 1;
  const int64_t accurate_parts =
      steps <= most_steps ? 1 : std::min<int64_t>(ceil_div(steps, 16), 256);
  if (tiles <= room) parts = std::max(room / tiles, accurate_parts);
  parts = std::max<int64_t>(1, std::min(parts, steps / least_steps));
  d.chunk = ceil_div(steps, parts) * bk;
  d.parts = ceil_div(K, d.chunk);
  return d;
}

}  // namespace ladder
