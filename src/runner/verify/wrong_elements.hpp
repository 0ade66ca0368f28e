// Finds the pattern of a matrix's wrong elements. A pattern tells more about a kernel's mistake than one element.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace runner {

class WrongElements {
 public:
  WrongElements(int64_t rows, int64_t cols) : rows_(rows), cols_(cols) {}

  void add(int64_t row, int64_t col);
  int64_t count() const { return count_; }

  /// Returns "64 of 4096 elements are wrong: row 31 of every 32, all columns". If these rows and columns also hold
  /// right elements, it returns "wrong, some of all rows, columns 0 to 3". A pattern that repeats with a power of two
  /// (the tile of a block, a warp or a thread) is named by its period. Any other is named by all its rows and columns.
  std::string describe() const;

 private:
  bool is_wrong(int64_t row, int64_t col) const {
    return !wrong_.empty() && wrong_[static_cast<size_t>(row * cols_ + col)];
  }

  int64_t rows_, cols_;
  int64_t count_ = 0;
  std::vector<bool> wrong_;  // empty until an element is wrong
};

}  // namespace runner
