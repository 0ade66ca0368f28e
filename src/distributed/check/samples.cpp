#include "distributed/check/samples.hpp"

#include <cmath>
#include <random>

#include "distributed/check/elements.hpp"

namespace distributed {
namespace {

// An element in FP64, and the bound on its error.
struct Exact {
  double value = 0, bound = 0;
};

Exact exact(const Product& p, uint64_t seed, int64_t row, int64_t col) {
  double sum = 0, magnitude = 0;
  for (int64_t i = 0; i < p.k; ++i) {
    const double a{p.a.is_transposed ? element_of(Name::a, seed, i, row)
                                     : element_of(Name::a, seed, row, i)};
    const double b{p.b.is_transposed ? element_of(Name::b, seed, col, i)
                                     : element_of(Name::b, seed, i, col)};
    sum += a * b;
    magnitude += std::abs(a * b);
  }
  const double old = p.beta == 0 ? 0 : double{p.beta} * double{element_of(Name::c, seed, row, col)};
  return {double{p.alpha} * sum + old, static_cast<double>(p.k + 2) * 0x1p-23 *
                                           (std::abs(double{p.alpha}) * magnitude + std::abs(old))};
}

}  // namespace

Checked check_samples(const Product& p, const Grid& grid, int rank, uint64_t seed, int64_t count) {
  Checked checked;
  const int64_t rows = p.c.rows_on(grid, rank), cols = p.c.cols_on(grid, rank);
  if (rows == 0 || cols == 0) return checked;
  std::mt19937_64 random(seed + static_cast<uint64_t>(rank));
  for (checked.elements = 0; checked.elements < count; ++checked.elements) {
    const auto row = static_cast<int64_t>(random() % static_cast<uint64_t>(rows));
    const auto col = static_cast<int64_t>(random() % static_cast<uint64_t>(cols));
    float got = 0;
    check(cudaMemcpy(&got, p.c_data + row + col * p.ldc, sizeof got, cudaMemcpyDefault));
    const int64_t global_row = p.c.rows.element_at(row, grid.row_of(rank));
    const int64_t global_col = p.c.cols.element_at(col, grid.col_of(rank));
    const Exact want = exact(p, seed, global_row, global_col);
    const double error = std::abs(double{got} - want.value);
    const double share = error == 0 ? 0 : error / want.bound;
    if (!(share <= checked.worst)) checked.worst = share;  // NaN too
    if (!(share <= 1) && !checked.wrong)
      checked.wrong = WrongElement{global_row, global_col, double{got}, want.value};
  }
  return checked;
}

}  // namespace distributed
