// The variants of the tile that bench/tune tries: the declared space of its search.
#pragma once

#include <array>

#include "kernels/tuned/tile.hpp"

namespace ladder {

// Variants of one BM x BN and number of threads form a class; of each class the fastest enters the table.
// All of a thread's registers limit the space: 128 sums and two generations of 24 elements are what 255
// hold.

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
          tiles[count++] = {128, 256, bk, wm, wn, 16, 8, stages, groups, 1, 1, chain / bk * bk};
        }
      }
    }
  }
  return tiles;
}();

// {BM, BN, BK, WM, WN, TM, TN, stages, copy_groups, blocks, slices, chain}.
inline constexpr Tile SMALL_TILES[] = {
    {128, 128, 8, 64, 64, 16, 8, 4, 1, 2, 1, 512}, {128, 128, 8, 32, 128, 16, 8, 4, 1, 2, 1, 512},
    {128, 128, 8, 64, 64, 16, 8, 4, 2, 2, 1, 512}, {128, 128, 8, 32, 128, 16, 8, 4, 2, 2, 1, 512},
    {128, 128, 8, 64, 64, 16, 8, 4, 3, 2, 1, 512}, {128, 128, 8, 64, 64, 16, 8, 5, 2, 2, 1, 512},

    {128, 128, 8, 64, 32, 8, 8, 4, 1, 2, 1, 512},  {128, 128, 8, 64, 32, 8, 8, 5, 1, 2, 1, 512},
    {128, 128, 8, 64, 32, 8, 8, 4, 2, 2, 1, 512},

    {64, 128, 16, 32, 64, 8, 8, 3, 2, 3, 1, 512},  {64, 128, 16, 64, 32, 8, 8, 3, 2, 3, 1, 512},
    {64, 128, 16, 32, 64, 8, 8, 3, 2, 2, 1, 512},  {64, 128, 16, 64, 32, 8, 8, 3, 2, 2, 1, 512},
    {64, 128, 16, 32, 64, 8, 8, 3, 3, 3, 1, 512},  {64, 128, 16, 32, 64, 8, 8, 3, 4, 3, 1, 512},
    {64, 128, 8, 32, 64, 8, 8, 5, 1, 3, 1, 512},

    {64, 128, 32, 64, 32, 8, 8, 4, 1, 1, 2, 128},  {64, 128, 32, 64, 32, 8, 8, 4, 3, 1, 2, 128},
    {64, 128, 32, 32, 64, 8, 8, 4, 3, 1, 2, 128},  {64, 128, 32, 64, 32, 8, 8, 4, 4, 1, 2, 128},
    {64, 128, 32, 64, 32, 8, 8, 4, 6, 1, 2, 128},  {64, 128, 32, 64, 32, 8, 8, 3, 4, 1, 2, 128},
    {64, 128, 32, 32, 64, 8, 8, 4, 5, 1, 2, 128},

    {64, 64, 16, 32, 64, 8, 8, 3, 4, 5, 1, 512},   {64, 64, 16, 32, 64, 8, 8, 3, 2, 5, 1, 512},
    {64, 64, 16, 32, 64, 8, 8, 3, 3, 4, 1, 512},

    {64, 64, 32, 64, 32, 8, 8, 3, 3, 2, 2, 128},   {64, 64, 32, 64, 32, 8, 8, 3, 5, 2, 2, 128},
    {64, 64, 32, 32, 64, 8, 8, 4, 3, 2, 2, 128},   {64, 64, 32, 32, 64, 8, 8, 3, 5, 2, 2, 128},

    {64, 64, 64, 64, 32, 8, 8, 3, 3, 1, 4, 128},   {64, 64, 64, 64, 32, 8, 8, 3, 4, 1, 4, 128},
    {64, 64, 64, 64, 32, 8, 8, 3, 7, 1, 4, 128},   {64, 64, 64, 32, 64, 8, 8, 3, 4, 1, 4, 128},
    {64, 64, 64, 32, 64, 8, 8, 3, 7, 1, 4, 128},

    {32, 64, 32, 32, 64, 8, 8, 4, 3, 2, 4, 128},   {32, 64, 32, 32, 64, 8, 8, 4, 5, 2, 4, 128},
    {64, 32, 32, 64, 32, 8, 8, 4, 5, 2, 4, 128},   {32, 64, 32, 32, 64, 8, 8, 3, 3, 2, 4, 128},

    {32, 64, 64, 32, 64, 8, 8, 3, 1, 1, 8, 128},   {32, 64, 64, 32, 64, 8, 8, 3, 3, 1, 8, 128},
    {32, 64, 64, 32, 64, 8, 8, 4, 5, 1, 8, 128},   {64, 32, 64, 64, 32, 8, 8, 4, 5, 1, 8, 128},

    {32, 32, 32, 32, 32, 8, 4, 4, 3, 3, 4, 128},   {32, 32, 32, 32, 32, 8, 4, 4, 5, 3, 4, 128},
    {32, 32, 64, 32, 32, 8, 4, 3, 3, 2, 4, 128},

    {16, 32, 64, 16, 32, 4, 4, 3, 4, 4, 4, 128},   {16, 32, 64, 16, 32, 4, 4, 3, 7, 4, 4, 128},
    {16, 32, 32, 16, 32, 4, 4, 4, 3, 4, 4, 128},
};

/// All of them, classes side by side.
inline constexpr auto TUNE_SPACE = [] {
  std::array<Tile, std::size(LARGE_TILES) + std::size(SMALL_TILES)> tiles{};
  size_t count = 0;
  for (const Tile& t : LARGE_TILES) tiles[count++] = t;
  for (const Tile& t : SMALL_TILES) tiles[count++] = t;
  return tiles;
}();

}  // namespace ladder
