// Tiles of C, and their parts of the matrices, against element by element; and faults that are planted.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "distributed/fault/fault.hpp"
#include "distributed/product/tiles.hpp"

namespace distributed {
namespace {

// The addresses are only compared, so one array stands for all matrices.
std::vector<float> memory(100'000);

constexpr Grid GRID{2, 3};

Product product_of(int64_t m, int64_t n, int64_t k, int64_t block, bool is_transposed) {
  const auto factor = [&](int64_t rows, int64_t cols) {
    return Factor{is_transposed ? square_blocks(cols, rows, block, GRID)
                                : square_blocks(rows, cols, block, GRID),
                  memory.data(), 200, is_transposed};
  };
  return {.m = m,
          .n = n,
          .k = k,
          .a = factor(m, k),
          .b = factor(k, n),
          .c = square_blocks(m, n, block, GRID),
          .c_data = memory.data(),
          .ldc = 300,
          .panel = 16};
}

// Where a process has an element.
const float* address(const Layout& layout, const float* data, int64_t ld, int64_t row,
                     int64_t col) {
  return data + layout.rows.place_of(row) + layout.cols.place_of(col) * ld;
}

// Expects that an element of a tile's matrix is the element of the whole one, on the same process and in the same place.
void expect_same(const Layout& part, const float* part_data, int64_t row, int64_t col,
                 const Layout& whole, int64_t ld, int64_t whole_row, int64_t whole_col, int rank) {
  ASSERT_EQ(part.rows.owner(row), whole.rows.owner(whole_row));
  ASSERT_EQ(part.cols.owner(col), whole.cols.owner(whole_col));
  if (GRID.rank_of(part.rows.owner(row), part.cols.owner(col)) != rank) return;
  ASSERT_EQ(address(part, part_data, ld, row, col),
            address(whole, memory.data(), ld, whole_row, whole_col));
}

void expect_parts_of(const Product& whole, const Tile& tile, int rank) {
  const Product part = part_of(whole, tile, GRID, rank);
  ASSERT_EQ(part.m, tile.rows);
  ASSERT_EQ(part.n, tile.cols);
  const bool trans = whole.a.is_transposed;
  for (int64_t i = 0; i < tile.rows; ++i) {
    for (int64_t j = 0; j < tile.cols; ++j)
      expect_same(part.c, part.c_data, i, j, whole.c, whole.ldc, tile.row + i, tile.col + j, rank);
    for (int64_t l = 0; l < whole.k; ++l)
      expect_same(part.a.layout, part.a.data, trans ? l : i, trans ? i : l, whole.a.layout,
                  whole.a.ld, trans ? l : tile.row + i, trans ? tile.row + i : l, rank);
  }
  for (int64_t j = 0; j < tile.cols; ++j)
    for (int64_t l = 0; l < whole.k; ++l)
      expect_same(part.b.layout, part.b.data, trans ? j : l, trans ? l : j, whole.b.layout,
                  whole.b.ld, trans ? tile.col + j : l, trans ? l : tile.col + j, rank);
}

TEST(Tiles, HaveTheElementsWhereTheyLie) {
  for (const bool is_transposed : {false, true})
    for (const int64_t block : {3, 8, 64}) {
      const Product whole = product_of(41, 50, 23, block, is_transposed);
      for (const Tile& tile : tiles_of(whole, 2 * block, 3 * block))
        for (int rank = 0; rank < GRID.size(); ++rank) {
          SCOPED_TRACE(std::to_string(block) + " " + std::to_string(tile.row) + "," +
                       std::to_string(tile.col) + " rank " + std::to_string(rank));
          expect_parts_of(whole, tile, rank);
          if (testing::Test::HasFatalFailure()) return;
        }
    }
}

TEST(Tiles, CoverCOnce) {
  const Product whole = product_of(41, 50, 23, 8, false);
  std::vector<int> times(41 * 50);
  for (const Tile& tile : tiles_of(whole, 16, 24))
    for (int64_t i = 0; i < tile.rows; ++i)
      for (int64_t j = 0; j < tile.cols; ++j)
        ++times[static_cast<size_t>((tile.row + i) * 50 + tile.col + j)];
  EXPECT_EQ(times, std::vector<int>(41 * 50, 1));
  EXPECT_EQ(tiles_of(product_of(0, 50, 23, 8, false), 8, 8).size(), 7);
  EXPECT_EQ(tiles_of(product_of(0, 0, 23, 8, false), 8, 8).size(), 1);
}

TEST(Tiles, AreAsLargeAsTheLimitAllows) {
  const Product whole = product_of(64, 100, 23, 8, false);
  const auto bytes = [](const Tile& tile) { return tile.rows * tile.cols; };
  const auto largest = [&](int64_t limit) {
    int64_t most = 0;
    for (const Tile& tile : tiles_within(whole, limit, bytes)) most = std::max(most, bytes(tile));
    return most;
  };
  EXPECT_EQ(largest(6400), 6400);
  EXPECT_EQ(largest(6399), 64 * 56);  // half of the columns, in whole blocks
  EXPECT_EQ(largest(64), 64);
  EXPECT_EQ(largest(63), 0);
}

TEST(Fault, IsInTheCallThatItNames) {
  ASSERT_EQ(plant_fault("3:send:2", 2), "");  // another rank's
  EXPECT_FALSE(is_faulty(Faulty::send) || is_faulty(Faulty::send));
  ASSERT_EQ(plant_fault("3:send:2", 3), "");
  EXPECT_FALSE(is_faulty(Faulty::memory));
  EXPECT_FALSE(is_faulty(Faulty::send));
  EXPECT_FALSE(is_faulty(Faulty::wire));
  EXPECT_TRUE(is_faulty(Faulty::send));
  EXPECT_FALSE(is_faulty(Faulty::send));  // once
}

}  // namespace
}  // namespace distributed
