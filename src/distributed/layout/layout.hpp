// How matrices lie on a grid of processes.
#pragma once

#include <array>
#include <cstdint>

#include "distributed/layout/axis.hpp"

namespace distributed {

/// The processes as rows and columns: the ranks count along the rows, as in a context of BLACS that was made with the order "Row".
struct Grid {
  int rows = 1, cols = 1;

  int size() const { return rows * cols; }
  int rank_of(int row, int col) const { return row * cols + col; }
  int row_of(int rank) const { return rank / cols; }
  int col_of(int rank) const { return rank % cols; }
};

/// ScaLAPACK's nine numbers: type (1, a dense matrix), context, rows, columns, rows of a block, columns of a block, the grid's row with the
/// first block, its column, and the leading dimension of the local part.
using Descriptor = std::array<int64_t, 9>;

/// Returns the least leading dimension for columns of `rows` floats that are aligned for vector accesses.
constexpr int64_t aligned_ld(int64_t rows) { return rows <= 4 ? 4 : (rows + 3) / 4 * 4; }

/// A matrix in blocks on a grid. A process has its elements as a column-major matrix of its own.
struct Layout {
  Axis rows, cols;

  int64_t rows_on(const Grid& grid, int rank) const { return rows.size_on(grid.row_of(rank)); }
  int64_t cols_on(const Grid& grid, int rank) const { return cols.size_on(grid.col_of(rank)); }
};

/// Returns a matrix in square blocks. The process 0 has the first one.
inline Layout square_blocks(int64_t rows, int64_t cols, int64_t block, const Grid& grid) {
  return {{rows, block, grid.rows, 0}, {cols, block, grid.cols, 0}};
}

/// Returns the layout of a descriptor, whose numbers must be right.
inline Layout layout_of(const Descriptor& d, const Grid& grid) {
  return {{d[2], d[4], grid.rows, static_cast<int>(d[6])},
          {d[3], d[5], grid.cols, static_cast<int>(d[7])}};
}

}  // namespace distributed
