// How rung 12 divides a product among the device's blocks. No device code: plain arithmetic that tests
// can call.
//
// The work of a tile of C along K is cut into steps of BK. All steps of all tiles, tile after tile, form
// one line, and each block takes an equal piece of it, wherever that begins and ends:
//
//     tile        |    0    |    1    |    2    |    3    |    4    |     5 tiles of 8 steps,
//     block       |  0   |   1  |  2   |   3  |   4  |  5  |  ...         some tiles are shared
//
// A block that computes a whole tile writes C. A part of a tile goes to a workspace, and a second
// kernel adds the parts of each tile, in order. Where there are many tiles, all but the last few are
// given out whole, in the order that keeps L2 warm, and only the rest is divided.
//
// A guard by name and not #pragma once: the exercise of rung 12 is a file that holds this header's text, and
// must then count as having included it.
#ifndef LADDER_SPLIT_PLAN
#define LADDER_SPLIT_PLAN

#include <cstdint>

#include "kernels/ladder.hpp"
#include "kernels/tuned/tile.hpp"

namespace ladder {

/// A division of a product. Everything in it follows from the shape and the device, so results do not
/// change from run to run.
struct SplitPlan {
  size_t choice;  // the place of the tile's variant in the table
  int64_t tiles_m, tiles_n;
  int64_t steps;   // of BK along K, for each tile
  int64_t blocks;  // of the grid
  int64_t rounds;  // whole tiles that each block computes first: tile = round * blocks + block

  __host__ __device__ constexpr int64_t tiles() const { return tiles_m * tiles_n; }
  __host__ __device__ constexpr int64_t whole_tiles() const { return rounds * blocks; }

  /// The tiles that form the line, and its length in steps.
  __host__ __device__ constexpr int64_t line_tiles() const { return tiles() - whole_tiles(); }
  __host__ __device__ constexpr int64_t line() const { return line_tiles() * steps; }

  // exercise a: begin
  /// Where a block's piece of the line begins; that of `blocks` is the line's end.
  __host__ __device__ constexpr int64_t begin(int64_t block) const {
    return line() * block / blocks;
  }

  /// The block whose piece holds a step of the line.
  __host__ __device__ constexpr int64_t owner(int64_t step) const {
    return ((step + 1) * blocks - 1) / line();
  }
  // exercise a: end

  /// False if there are blocks for which the line has no step, or more rounds than tiles.
  constexpr bool is_possible() const {
    return blocks >= 1 && rounds >= 0 && whole_tiles() < tiles() && blocks <= line();
  }

  /// The longest piece of the line, in steps. The shortest is one step shorter, or as long.
  __host__ __device__ constexpr int64_t longest_piece() const { return ceil_div(line(), blocks); }

  /// Whether all tiles are cut into the same number of pieces, or all pieces are the same number of tiles. The
  /// line must not be empty.
  constexpr bool pieces_end_with_tiles() const {
    return blocks % line_tiles() == 0 || line_tiles() % blocks == 0;
  }

  /// On how many tiles a block works at most, one after the other.
  constexpr int64_t most_tiles_of_block() const {
    if (line() == 0) return rounds;
    return rounds + ceil_div(longest_piece(), steps) + (pieces_end_with_tiles() ? 0 : 1);
  }

  /// False if each block computes whole tiles only.
  constexpr bool has_parts() const {
    return steps > 1 && (line() % blocks != 0 || line() / blocks % steps != 0);
  }
};

/// Parts of tiles that a block can have: the end of one tile, and the beginning of another.
inline constexpr int PARTS_OF_BLOCK = 2;

}  // namespace ladder

#endif
