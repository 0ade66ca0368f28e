// The variants of the tile that bench/tune tries: the declared space of its search.
#pragma once

#include <array>

#include "kernels/tuned/tile.hpp"

namespace ladder {

// Variants of one BM x BN and number of threads form a class. The fastest of each class enters the table.
// The registers of a thread limit the space: its 255 hold 128 sums and two generations of 24 elements.

/// 128 x 256, for large problems: warp tiles x depths and stages x copy groups x chains.
inline constexpr auto LARGE_TILES = [] {
  constexpr int WARP_TILES[][2] = {{64, 64}, {32, 128}, {128, 32}};
  constexpr int RINGS[][2] = {{8, 4}, {8, 5}, {8, 6}, {12, 3}, {12, 4}, {16, 3}};
  constexpr int GROUPS[] = {1, 2, 3};
  constexpr int CHAINS[] = {0, 512};
  std::array<Tile, 3 * 6 * 3 * 2> tiles{};
  size_t count = 0;
  for (const auto& [wm, wn] : WARP_TILES) {
    for (const auto& [bk, stages] : RINGS) {
      for (const int groups : GROUPS) {
        for (const int chain : CHAINS) {
          // Chains end with a tile along K.
          tiles[count++] = {.BM = 128,
                            .BN = 256,
                            .BK = bk,
                            .WM = wm,
                            .WN = wn,
                            .TM = 16,
                            .TN = 8,
                            .stages = stages,
                            .copy_groups = groups,
                            .blocks = 1,
                            .slices = 1,
                            .chain = chain / bk * bk};
        }
      }
    }
  }
  return tiles;
}();

// clang-format off: a table
inline constexpr Tile SMALL_TILES[] = {
    {.BM = 128, .BN = 128, .BK = 8, .WM = 64, .WN = 64, .TM = 16, .TN = 8, .stages = 4, .copy_groups = 1, .blocks = 2, .slices = 1, .chain = 512},
    {.BM = 128, .BN = 128, .BK = 8, .WM = 32, .WN = 128, .TM = 16, .TN = 8, .stages = 4, .copy_groups = 1, .blocks = 2, .slices = 1, .chain = 512},
    {.BM = 128, .BN = 128, .BK = 8, .WM = 64, .WN = 64, .TM = 16, .TN = 8, .stages = 4, .copy_groups = 2, .blocks = 2, .slices = 1, .chain = 512},
    {.BM = 128, .BN = 128, .BK = 8, .WM = 32, .WN = 128, .TM = 16, .TN = 8, .stages = 4, .copy_groups = 2, .blocks = 2, .slices = 1, .chain = 512},
    {.BM = 128, .BN = 128, .BK = 8, .WM = 64, .WN = 64, .TM = 16, .TN = 8, .stages = 4, .copy_groups = 3, .blocks = 2, .slices = 1, .chain = 512},
    {.BM = 128, .BN = 128, .BK = 8, .WM = 64, .WN = 64, .TM = 16, .TN = 8, .stages = 5, .copy_groups = 2, .blocks = 2, .slices = 1, .chain = 512},

    {.BM = 128, .BN = 128, .BK = 8, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 4, .copy_groups = 1, .blocks = 2, .slices = 1, .chain = 512},
    {.BM = 128, .BN = 128, .BK = 8, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 5, .copy_groups = 1, .blocks = 2, .slices = 1, .chain = 512},
    {.BM = 128, .BN = 128, .BK = 8, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 4, .copy_groups = 2, .blocks = 2, .slices = 1, .chain = 512},

    {.BM = 64, .BN = 128, .BK = 16, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 2, .blocks = 3, .slices = 1, .chain = 512},
    {.BM = 64, .BN = 128, .BK = 16, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 2, .blocks = 3, .slices = 1, .chain = 512},
    {.BM = 64, .BN = 128, .BK = 16, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 2, .blocks = 2, .slices = 1, .chain = 512},
    {.BM = 64, .BN = 128, .BK = 16, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 2, .blocks = 2, .slices = 1, .chain = 512},
    {.BM = 64, .BN = 128, .BK = 16, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 3, .blocks = 3, .slices = 1, .chain = 512},
    {.BM = 64, .BN = 128, .BK = 16, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 4, .blocks = 3, .slices = 1, .chain = 512},
    {.BM = 64, .BN = 128, .BK = 8, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 5, .copy_groups = 1, .blocks = 3, .slices = 1, .chain = 512},

    {.BM = 64, .BN = 128, .BK = 32, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 4, .copy_groups = 1, .blocks = 1, .slices = 2, .chain = 128},
    {.BM = 64, .BN = 128, .BK = 32, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 4, .copy_groups = 3, .blocks = 1, .slices = 2, .chain = 128},
    {.BM = 64, .BN = 128, .BK = 32, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 4, .copy_groups = 3, .blocks = 1, .slices = 2, .chain = 128},
    {.BM = 64, .BN = 128, .BK = 32, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 4, .copy_groups = 4, .blocks = 1, .slices = 2, .chain = 128},
    {.BM = 64, .BN = 128, .BK = 32, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 4, .copy_groups = 6, .blocks = 1, .slices = 2, .chain = 128},
    {.BM = 64, .BN = 128, .BK = 32, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 4, .blocks = 1, .slices = 2, .chain = 128},
    {.BM = 64, .BN = 128, .BK = 32, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 4, .copy_groups = 5, .blocks = 1, .slices = 2, .chain = 128},

    {.BM = 64, .BN = 64, .BK = 16, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 4, .blocks = 5, .slices = 1, .chain = 512},
    {.BM = 64, .BN = 64, .BK = 16, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 2, .blocks = 5, .slices = 1, .chain = 512},
    {.BM = 64, .BN = 64, .BK = 16, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 3, .blocks = 4, .slices = 1, .chain = 512},

    {.BM = 64, .BN = 64, .BK = 32, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 3, .blocks = 2, .slices = 2, .chain = 128},
    {.BM = 64, .BN = 64, .BK = 32, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 5, .blocks = 2, .slices = 2, .chain = 128},
    {.BM = 64, .BN = 64, .BK = 32, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 4, .copy_groups = 3, .blocks = 2, .slices = 2, .chain = 128},
    {.BM = 64, .BN = 64, .BK = 32, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 5, .blocks = 2, .slices = 2, .chain = 128},

    {.BM = 64, .BN = 64, .BK = 64, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 3, .blocks = 1, .slices = 4, .chain = 128},
    {.BM = 64, .BN = 64, .BK = 64, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 4, .blocks = 1, .slices = 4, .chain = 128},
    {.BM = 64, .BN = 64, .BK = 64, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 7, .blocks = 1, .slices = 4, .chain = 128},
    {.BM = 64, .BN = 64, .BK = 64, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 4, .blocks = 1, .slices = 4, .chain = 128},
    {.BM = 64, .BN = 64, .BK = 64, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 7, .blocks = 1, .slices = 4, .chain = 128},

    {.BM = 32, .BN = 64, .BK = 32, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 4, .copy_groups = 3, .blocks = 2, .slices = 4, .chain = 128},
    {.BM = 32, .BN = 64, .BK = 32, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 4, .copy_groups = 5, .blocks = 2, .slices = 4, .chain = 128},
    {.BM = 64, .BN = 32, .BK = 32, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 4, .copy_groups = 5, .blocks = 2, .slices = 4, .chain = 128},
    {.BM = 32, .BN = 64, .BK = 32, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 3, .blocks = 2, .slices = 4, .chain = 128},

    {.BM = 32, .BN = 64, .BK = 64, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 1, .blocks = 1, .slices = 8, .chain = 128},
    {.BM = 32, .BN = 64, .BK = 64, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 3, .copy_groups = 3, .blocks = 1, .slices = 8, .chain = 128},
    {.BM = 32, .BN = 64, .BK = 64, .WM = 32, .WN = 64, .TM = 8, .TN = 8, .stages = 4, .copy_groups = 5, .blocks = 1, .slices = 8, .chain = 128},
    {.BM = 64, .BN = 32, .BK = 64, .WM = 64, .WN = 32, .TM = 8, .TN = 8, .stages = 4, .copy_groups = 5, .blocks = 1, .slices = 8, .chain = 128},

    {.BM = 32, .BN = 32, .BK = 32, .WM = 32, .WN = 32, .TM = 8, .TN = 4, .stages = 4, .copy_groups = 3, .blocks = 3, .slices = 4, .chain = 128},
    {.BM = 32, .BN = 32, .BK = 32, .WM = 32, .WN = 32, .TM = 8, .TN = 4, .stages = 4, .copy_groups = 5, .blocks = 3, .slices = 4, .chain = 128},
    {.BM = 32, .BN = 32, .BK = 64, .WM = 32, .WN = 32, .TM = 8, .TN = 4, .stages = 3, .copy_groups = 3, .blocks = 2, .slices = 4, .chain = 128},

    {.BM = 16, .BN = 32, .BK = 64, .WM = 16, .WN = 32, .TM = 4, .TN = 4, .stages = 3, .copy_groups = 4, .blocks = 4, .slices = 4, .chain = 128},
    {.BM = 16, .BN = 32, .BK = 64, .WM = 16, .WN = 32, .TM = 4, .TN = 4, .stages = 3, .copy_groups = 7, .blocks = 4, .slices = 4, .chain = 128},
    {.BM = 16, .BN = 32, .BK = 32, .WM = 16, .WN = 32, .TM = 4, .TN = 4, .stages = 4, .copy_groups = 3, .blocks = 4, .slices = 4, .chain = 128},
};
// clang-format on

/// All variants. Those of a class stand side by side.
inline constexpr auto TUNE_SPACE = [] {
  std::array<Tile, std::size(LARGE_TILES) + std::size(SMALL_TILES)> tiles{};
  size_t count = 0;
  for (const Tile& t : LARGE_TILES) tiles[count++] = t;
  for (const Tile& t : SMALL_TILES) tiles[count++] = t;
  return tiles;
}();

}  // namespace ladder
