#include "runner/verify/wrong_elements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace {

// Returns the description of a matrix in which the elements chosen by `is_wrong` are wrong.
std::string described(int64_t rows, int64_t cols,
                      const std::function<bool(int64_t row, int64_t col)>& is_wrong) {
  runner::WrongElements wrong(rows, cols);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t col = 0; col < cols; ++col) {
      if (is_wrong(row, col)) wrong.add(row, col);
    }
  }
  return wrong.describe();
}

TEST(WrongElements, TellsTheRowOfATile) {
  EXPECT_EQ(described(128, 64, [](int64_t row, int64_t) { return row % 32 == 31; }),
            "256 of 8192 elements are wrong: row 31 of every 32, all columns");
}

TEST(WrongElements, TellsTheCornerOfATile) {
  EXPECT_EQ(
      described(64, 64, [](int64_t row, int64_t col) { return row % 16 == 0 && col % 8 >= 6; }),
      "64 of 4096 elements are wrong: row 0 of every 16, columns 6 to 7 of every 8");
}

TEST(WrongElements, TellsOneElement) {
  EXPECT_EQ(described(50, 40, [](int64_t row, int64_t col) { return row == 25 && col == 39; }),
            "1 of 2000 elements is wrong: row 25, column 39");
}

TEST(WrongElements, TellsThatAllAre) {
  EXPECT_EQ(described(3, 5, [](int64_t, int64_t) { return true; }), "all 15 elements are wrong");
}

TEST(WrongElements, NamesAFewOfMany) {
  EXPECT_EQ(described(40, 4, [](int64_t row, int64_t) { return row == 3 || row == 17; }),
            "8 of 160 elements are wrong: rows 3, 17, all columns");
  EXPECT_EQ(described(50, 4, [](int64_t row, int64_t) { return row % 7 == 0; }),
            "32 of 200 elements are wrong: rows 0, 7, 14, 21 and 4 others, all columns");
}

// If tiles do not divide a matrix, its remainder belongs to the pattern as well.
TEST(WrongElements, TellsATileOfARaggedMatrix) {
  EXPECT_EQ(described(70, 5, [](int64_t row, int64_t) { return row % 32 == 5; }),
            "15 of 350 elements are wrong: row 5 of every 32, all columns");
}

TEST(WrongElements, CountsEachOnce) {
  runner::WrongElements wrong(2, 2);
  EXPECT_EQ(wrong.count(), 0);
  wrong.add(1, 1);
  wrong.add(1, 1);
  EXPECT_EQ(wrong.count(), 1);
}

}  // namespace
