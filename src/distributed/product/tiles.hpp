// A product in tiles of C, one after the other, if A, B and C do not lie in the GPUs' memory, or if each tile is to be kept once it is there.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "distributed/product/product.hpp"

namespace distributed {

/// Rows and columns of C. A tile begins at a block's begin.
struct Tile {
  int64_t row = 0, rows = 0, col = 0, cols = 0;
};

/// Returns the tiles of C with at most these rows and columns, which are multiples of C's blocks, column by column. There is one empty tile
/// if C is empty.
std::vector<Tile> tiles_of(const Product& product, int64_t rows, int64_t cols);

/// Returns tiles for which no process needs more bytes of device memory than `limit`: all of C if that fits, else as large ones as fit. All
/// processes get the same. Returns none if not even one block fits. `bytes(tile)`: what the processes need at most.
std::vector<Tile> tiles_within(const Product& product, int64_t limit,
                               const std::function<int64_t(const Tile&)>& bytes);

/// Returns the product of one tile. Its C is a part of the whole one's.
Product part_of(const Product& product, const Tile& tile, const Grid& grid, int rank);

/// Returns the bytes of device memory that a tile takes on a process, beside matrices that lie there already.
int64_t bytes_of_tile(const Product& product, const Tile& tile, const Grid& grid, int rank);

/// Computes the tiles of a product, as multiply() does. After each one it calls done(its number).
Times multiply_tiles(
    const Product& product, const std::vector<Tile>& tiles, const Grid& grid, int rank,
    Transport& transport, Workspace& workspace,
    const std::function<void(size_t)>& done = [](size_t) {});

}  // namespace distributed
