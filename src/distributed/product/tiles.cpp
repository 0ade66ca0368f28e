#include "distributed/product/tiles.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace distributed {
namespace {

// Returns the elements from `begin` to `end` - 1 as an axis of their own. `begin` is the begin of a block.
Axis part_of(const Axis& axis, int64_t begin, int64_t end) {
  Axis part = axis;
  part.size = end - begin;
  part.first = begin < axis.size ? axis.owner(begin) : axis.first;
  return part;
}

// Returns how many of the elements before `end` a process has.
int64_t count_before(const Axis& axis, int64_t end, int process) {
  Axis part = axis;
  part.size = end;
  return part.size_on(process);
}

// Takes the lines of A or B that a tile needs: rows of op(A), or columns of op(B).
Factor lines_of(const Factor& whole, bool are_rows, int64_t begin, int64_t end, const Grid& grid,
                int rank) {
  Factor part = whole;
  Axis& axis = are_rows ? part.layout.rows : part.layout.cols;
  const int64_t before =
      count_before(axis, begin, are_rows ? grid.row_of(rank) : grid.col_of(rank));
  if (part.data != nullptr) part.data += are_rows ? before : before * whole.ld;
  axis = part_of(axis, begin, end);
  return part;
}

int64_t divided(int64_t size, int64_t by, int64_t block) {
  const int64_t part = (size + by - 1) / by;
  return std::max(block, (part + block - 1) / block * block);
}

// Copies a process's part of C between host and device.
void copy(float* to, int64_t to_ld, const float* from, int64_t from_ld, int64_t rows,
          int64_t cols) {
  const auto bytes = [](int64_t floats) { return static_cast<size_t>(floats) * sizeof(float); };
  if (rows > 0 && cols > 0)
    check(cudaMemcpy2D(to, bytes(to_ld), from, bytes(from_ld), bytes(rows),
                       static_cast<size_t>(cols), cudaMemcpyDefault));
}

}  // namespace

std::vector<Tile> tiles_of(const Product& p, int64_t rows, int64_t cols) {
  std::vector<Tile> tiles;
  for (int64_t col = 0; col < std::max<int64_t>(1, p.n); col += cols)
    for (int64_t row = 0; row < std::max<int64_t>(1, p.m); row += rows)
      tiles.push_back({row, std::min(rows, p.m - row), col, std::min(cols, p.n - col)});
  return tiles;
}

std::vector<Tile> tiles_within(const Product& p, int64_t limit,
                               const std::function<int64_t(const Tile&)>& bytes) {
  const int64_t row_block = p.c.rows.block, col_block = p.c.cols.block;
  int64_t rows = divided(p.m, 1, row_block), cols = divided(p.n, 1, col_block);
  while (bytes({0, std::min(rows, p.m), 0, std::min(cols, p.n)}) > limit) {
    if (rows <= row_block && cols <= col_block) return {};
    // The longer side, so that a tile needs few lines of A and B for its elements.
    if (cols > col_block && (cols >= rows || rows <= row_block)) {
      cols = divided(cols, 2, col_block);
    } else {
      rows = divided(rows, 2, row_block);
    }
  }
  return tiles_of(p, rows, cols);
}

Product part_of(const Product& whole, const Tile& tile, const Grid& grid, int rank) {
  Product part = whole;
  const int64_t row_end = tile.row + tile.rows, col_end = tile.col + tile.cols;
  part.m = tile.rows;
  part.n = tile.cols;
  part.a = lines_of(whole.a, !whole.a.is_transposed, tile.row, row_end, grid, rank);
  part.b = lines_of(whole.b, whole.b.is_transposed, tile.col, col_end, grid, rank);
  part.c = {part_of(whole.c.rows, tile.row, row_end), part_of(whole.c.cols, tile.col, col_end)};
  if (part.c_data != nullptr)
    part.c_data += count_before(whole.c.rows, tile.row, grid.row_of(rank)) +
                   count_before(whole.c.cols, tile.col, grid.col_of(rank)) * whole.ldc;
  return part;
}

int64_t bytes_of_tile(const Product& whole, const Tile& tile, const Grid& grid, int rank) {
  Product part = part_of(whole, tile, grid, rank);
  if (whole.is_on_host) part.ldc = aligned_ld(part.c.rows_on(grid, rank));
  const int64_t of_c =
      whole.is_on_host ? part.ldc * part.c.cols_on(grid, rank) * static_cast<int64_t>(sizeof(float))
                       : 0;
  return of_c + bytes_of_product(part, grid, rank);
}

Times multiply_tiles(const Product& whole, const std::vector<Tile>& tiles, const Grid& grid,
                     int rank, Transport& transport, Workspace& workspace,
                     const std::function<void(size_t)>& done) {
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [begin] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  Times all;
  int64_t panels = 0;
  for (size_t i = 0; i < tiles.size(); ++i) {
    Product part = part_of(whole, tiles[i], grid, rank);
    float* const c = part.c_data;
    const int64_t rows = part.c.rows_on(grid, rank), cols = part.c.cols_on(grid, rank);
    std::optional<DeviceFloats> on_device;
    if (whole.is_on_host) {
      on_device.emplace(aligned_ld(rows) * cols);
      part.c_data = on_device->data();
      part.ldc = aligned_ld(rows);
      if (whole.beta != 0) copy(part.c_data, part.ldc, c, whole.ldc, rows, cols);
    }
    const double begin_of_tile = seconds();
    const Times times = multiply(part, grid, rank, transport, workspace);
    if (on_device) copy(c, whole.ldc, part.c_data, part.ldc, rows, cols);
    for (TimedSpan span : times.spans) {
      span.begin += begin_of_tile;
      span.end += begin_of_tile;
      span.panel += panels;
      all.spans.push_back(span);
    }
    panels += (part.k + part.panel - 1) / part.panel;
    all.received_bytes += times.received_bytes;
    done(i);
  }
  all.whole = seconds();
  return all;
}

}  // namespace distributed
