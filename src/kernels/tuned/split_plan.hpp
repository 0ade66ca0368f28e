// How rung 12 divides a product among the device's blocks. It is plain arithmetic, so tests can call it without a GPU.
//
// The work of a tile of C along K is cut into steps of BK. The steps of all tiles, tile after tile, form one line, and
// each block takes an equal piece of it. A piece may begin and end within a tile:
//
//     tile        |    0    |    1    |    2    |    3    |    4    |     5 tiles of 8 steps,
//     block       |  0   |   1  |  2   |   3  |   4  |  5  |  ...         some tiles are shared
//
// A block that computes a whole tile writes C. A part of a tile goes to a workspace, and a second kernel adds the parts
// of each tile, in order. If there are many tiles, blocks take all but the last few of them whole, in an order that
// reuses L2, and only the rest is divided.
//
// This header has a named guard instead of #pragma once: the exercise of rung 12 contains this header's text, and the
// guard then keeps the compiler from including it again.
#ifndef LADDER_SPLIT_PLAN
#define LADDER_SPLIT_PLAN

#include <cstdint>

#include "kernels/ladder.hpp"
#include "kernels/tuned/tile.hpp"

namespace ladder {

/// A division of a product. It depends on the shape and the device only, so results do not change from run to run.
struct SplitPlan {
  size_t choice;  // the index of the tile's variant in the table
  int64_t tiles_m, tiles_n;
  int64_t steps;   // of BK along K, for each tile
  int64_t blocks;  // of the grid
  int64_t rounds;  // whole tiles that each block computes first: tile = round * blocks + block

  __host__ __device__ constexpr int64_t tiles() const { return tiles_m * tiles_n; }
  __host__ __device__ constexpr int64_t whole_tiles() const { return rounds * blocks; }

  /// The number of tiles on the line, and the line's length in steps.
  __host__ __device__ constexpr int64_t line_tiles() const { return tiles() - whole_tiles(); }
  __host__ __device__ constexpr int64_t line() const { return line_tiles() * steps; }

  // exercise a: begin
  /// Returns the step at which a block's piece of the line begins. begin(blocks) is the line's end.
  __host__ __device__ constexpr int64_t begin(int64_t block) const {
    return line() * block / blocks;
  }

  /// Returns the block whose piece contains a step of the line.
  __host__ __device__ constexpr int64_t owner(int64_t step) const {
    return ((step + 1) * blocks - 1) / line();
  }
  // exercise a: end

  /// False if a block would get no step of the line, or if there are more rounds than tiles.
  constexpr bool is_possible() const {
    return blocks >= 1 && rounds >= 0 && whole_tiles() < tiles() && blocks <= line();
  }

  /// Returns the length of the longest piece of the line, in steps. All others are as long or one step shorter.
  __host__ __device__ constexpr int64_t longest_piece() const { return ceil_div(line(), blocks); }

  /// True if every tile is cut into the same number of pieces, or every piece is the same number of tiles. The line
  /// must not be empty.
  constexpr bool pieces_end_with_tiles() const {
    return blocks % line_tiles() == 0 || line_tiles() % blocks == 0;
  }

  /// Returns the largest number of tiles that a block works on, one after the other.
  constexpr int64_t most_tiles_of_block() const {
    if (line() == 0) return rounds;
    return rounds + ceil_div(longest_piece(), steps) + (pieces_end_with_tiles() ? 0 : 1);
  }

  /// False if each block computes whole tiles only.
  constexpr bool has_parts() const {
    return steps > 1 && (line() % blocks != 0 || line() / blocks % steps != 0);
  }
};

/// The most parts of tiles that a block can have: the end of one tile and the beginning of another.
inline constexpr int PARTS_OF_BLOCK = 2;

}  // namespace ladder

#endif
