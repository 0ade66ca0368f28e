// The members of a tile by name, for programs that write tiles to a file. Kernels include tile.hpp but not this file:
// nvcc puts brackets around pointers to members, and GCC 13 refuses such brackets.
#pragma once

#include <array>
#include <bit>
#include <iterator>

#include "kernels/tuned/tile.hpp"

namespace ladder {

/// A member of Tile and its name.
struct TileField {
  const char* name;
  int Tile::* value;
};

/// All members of Tile, in their order. A program that writes a tile iterates this list.
inline constexpr TileField TILE_FIELDS[] = {
    {"BM", &Tile::BM},         {"BN", &Tile::BN},         {"BK", &Tile::BK},
    {"WM", &Tile::WM},         {"WN", &Tile::WN},         {"TM", &Tile::TM},
    {"TN", &Tile::TN},         {"stages", &Tile::stages}, {"copy_groups", &Tile::copy_groups},
    {"blocks", &Tile::blocks}, {"slices", &Tile::slices}, {"chain", &Tile::chain},
};
static_assert(
    [] {
      Tile numbered{};
      int count = 0;
      for (const TileField& field : TILE_FIELDS) numbered.*field.value = count++;
      const auto members = std::bit_cast<std::array<int, std::size(TILE_FIELDS)>>(numbered);
      for (int i = 0; i < count; ++i) {
        if (members[static_cast<size_t>(i)] != i) return false;
      }
      return true;
    }(),
    "TILE_FIELDS names every member of Tile once, in their order");

}  // namespace ladder
