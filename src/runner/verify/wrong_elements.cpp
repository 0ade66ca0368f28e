#include "runner/verify/wrong_elements.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runner {
namespace {

constexpr int64_t LARGEST_TILE = 256;
constexpr size_t MOST_NAMED = 4;

// Returns the least power of two after which the pattern repeats, or `size` if it does not.
template <typename Same>
int64_t period_of(int64_t size, const Same& same) {
  for (int64_t period = 1; period <= LARGEST_TILE && 2 * period <= size; period *= 2) {
    bool repeats = true;
    for (int64_t i = period; i < size && repeats; ++i) repeats = same(i, i - period);
    if (repeats) return period;
  }
  return size;
}

// Returns "row 31 of every 32", "all rows", "rows 3 to 5" or "rows 0, 4, 8 and 29 others".
std::string lines_text(const char* what, const std::vector<bool>& wrong, int64_t period,
                       int64_t size) {
  std::vector<int64_t> places;
  for (size_t i = 0; i < wrong.size(); ++i) {
    if (wrong[i]) places.push_back(static_cast<int64_t>(i));
  }
  if (static_cast<int64_t>(places.size()) == period) return fmt::format("all {}s", what);
  const std::string of = period < size ? fmt::format(" of every {}", period) : "";
  if (places.size() == 1) return fmt::format("{} {}{}", what, places.front(), of);
  const bool together = places.back() - places.front() + 1 == static_cast<int64_t>(places.size());
  if (together) return fmt::format("{}s {} to {}{}", what, places.front(), places.back(), of);
  const size_t named = std::min(MOST_NAMED, places.size());
  std::string text = fmt::format(
      "{}s {}", what,
      fmt::join(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(named), ", "));
  if (named < places.size()) text += fmt::format(" and {} others", places.size() - named);
  return text + of;
}

}  // namespace

void WrongElements::add(int64_t row, int64_t col) {
  if (wrong_.empty()) wrong_.resize(static_cast<size_t>(rows_ * cols_));
  const auto at = static_cast<size_t>(row * cols_ + col);
  if (!wrong_[at]) ++count_;
  wrong_[at] = true;
}

std::string WrongElements::describe() const {
  if (count_ == 1 && rows_ * cols_ == 1) return "its one element is wrong";
  if (count_ == rows_ * cols_) return fmt::format("all {} elements are wrong", count_);
  const auto same_rows = [this](int64_t a, int64_t b) {
    for (int64_t col = 0; col < cols_; ++col) {
      if (is_wrong(a, col) != is_wrong(b, col)) return false;
    }
    return true;
  };
  const auto same_cols = [this](int64_t a, int64_t b) {
    for (int64_t row = 0; row < rows_; ++row) {
      if (is_wrong(row, a) != is_wrong(row, b)) return false;
    }
    return true;
  };
  const int64_t row_period = period_of(rows_, same_rows), col_period = period_of(cols_, same_cols);
  std::vector<bool> rows(static_cast<size_t>(row_period)), cols(static_cast<size_t>(col_period));
  int64_t in_tile = 0;
  for (int64_t row = 0; row < row_period; ++row) {
    for (int64_t col = 0; col < col_period; ++col) {
      if (!is_wrong(row, col)) continue;
      rows[static_cast<size_t>(row)] = true;
      cols[static_cast<size_t>(col)] = true;
      ++in_tile;
    }
  }
  const bool crossings = in_tile == std::ranges::count(rows, true) * std::ranges::count(cols, true);
  return fmt::format("{} of {} elements {} wrong{} {}, {}", count_, rows_ * cols_,
                     count_ == 1 ? "is" : "are", crossings ? ":" : ", some of",
                     lines_text("row", rows, row_period, rows_),
                     lines_text("column", cols, col_period, cols_));
}

}  // namespace runner
