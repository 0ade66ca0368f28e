#include "distributed/check/projections.hpp"

#include <cmath>

#include "distributed/check/elements.hpp"
#include "distributed/check/sums.hpp"

namespace distributed {
namespace {

constexpr uint64_t SEED = 0x70726f6a;  // any number

// A matrix as it lies on the grid, and this process's part of it.
struct Matrix {
  const Layout& layout;
  const float* data;
  int64_t ld;
};

// Multiplies matrices by vectors. All processes have the whole vectors.
class Multiplier {
 public:
  // With `squares`, the matrices' elements are squared.
  Multiplier(const Grid& grid, int rank, MPI_Comm world, bool squares = false)
      : grid_(grid), rank_(rank), world_(world), squares_(squares) {}

  // Returns X x, or X' x.
  std::vector<double> times(const Matrix& matrix, bool is_transposed,
                            const std::vector<double>& x) const {
    const Axis& along = is_transposed ? matrix.layout.cols : matrix.layout.rows;  // of the result
    const Axis& across = is_transposed ? matrix.layout.rows : matrix.layout.cols;
    const int row = grid_.row_of(rank_), col = grid_.col_of(rank_);
    const std::vector<double> mine =
        sums_of(matrix.data, matrix.ld, matrix.layout.rows_on(grid_, rank_),
                matrix.layout.cols_on(grid_, rank_), is_transposed, squares_,
                local(x, across, is_transposed ? row : col));
    std::vector<double> all(static_cast<size_t>(along.size), 0);
    for (size_t i = 0; i < mine.size(); ++i)
      all[static_cast<size_t>(
          along.element_at(static_cast<int64_t>(i), is_transposed ? col : row))] = mine[i];
    MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_SUM,
                  world_);
    return all;
  }

 private:
  static std::vector<double> local(const std::vector<double>& x, const Axis& axis, int process) {
    std::vector<double> part(static_cast<size_t>(axis.size_on(process)));
    for (size_t i = 0; i < part.size(); ++i)
      part[i] = x[static_cast<size_t>(axis.element_at(static_cast<int64_t>(i), process))];
    return part;
  }

  const Grid grid_;
  const int rank_;
  const MPI_Comm world_;
  const bool squares_;
};

// Whole numbers from 0 to 2^14 - 1. The sums of whole elements stay below 2^53: 2^14 times 4 * 4 * n * k for n k up to 2^35.
std::vector<double> random_vector(int64_t size, int64_t number) {
  std::vector<double> x;
  x.reserve(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i)
    x.push_back(std::floor((double{element_of(Name::a, SEED, i, number)} + 1) * 0x1p13));
  return x;
}

Matrix c_of(const Product& p) { return {p.c, p.c_data, p.ldc}; }
Matrix matrix_of(const Factor& x) { return {x.layout, x.data, x.ld}; }

// Returns alpha op(A) op(B) x + beta C x, or the same transposed.
std::vector<double> expected(const Product& p, const Multiplier& m, bool is_transposed,
                             double alpha, double beta, const std::vector<double>& x) {
  const Factor& first = is_transposed ? p.a : p.b;  // op(A) (op(B) x), or op(B)' (op(A)' x)
  const Factor& second = is_transposed ? p.b : p.a;
  const std::vector<double> inner =
      m.times(matrix_of(first), first.is_transposed != is_transposed, x);
  std::vector<double> sums =
      m.times(matrix_of(second), second.is_transposed != is_transposed, inner);
  const std::vector<double> old =
      beta == 0 ? std::vector<double>(sums.size()) : m.times(c_of(p), is_transposed, x);
  for (size_t i = 0; i < sums.size(); ++i) sums[i] = alpha * sums[i] + beta * old[i];
  return sums;
}

double square(double x) { return x * x; }

// Returns how much C x may be off because C is rounded. Each of the k sums of an element is rounded to 24 bits, and errs as a random walk
// does. The factor 8 stands for what a random walk rarely exceeds.
std::vector<double> tolerances(const Product& p, const Multiplier& squares, bool is_transposed,
                               const std::vector<double>& x) {
  std::vector<double> x2;
  x2.reserve(x.size());
  for (const double one : x) x2.push_back(square(one));
  std::vector<double> all =
      expected(p, squares, is_transposed, square(p.alpha), square(p.beta), x2);
  for (double& one : all) one = 8 * 0x1p-24 * std::sqrt(static_cast<double>(p.k + 2) * one);
  return all;
}

std::vector<int64_t> unequal(const std::vector<double>& a, const std::vector<double>& b,
                             const std::vector<double>& tolerance) {
  std::vector<int64_t> places;
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= (tolerance.empty() ? 0 : tolerance[i])))  // NaN too
      places.push_back(static_cast<int64_t>(i));
  return places;
}

}  // namespace

Projections expected_projections(const Product& p, const Grid& grid, int rank, MPI_Comm world,
                                 Rounding rounding) {
  const std::vector<double> of_n = random_vector(p.n, 0), of_m = random_vector(p.m, 1);
  const Multiplier m(grid, rank, world);
  Projections projections{expected(p, m, false, p.alpha, p.beta, of_n),
                          expected(p, m, true, p.alpha, p.beta, of_m)};
  if (rounding == Rounding::fp32) {
    const Multiplier squares(grid, rank, world, true);
    projections.row_tolerances = tolerances(p, squares, false, of_n);
    projections.col_tolerances = tolerances(p, squares, true, of_m);
  }
  return projections;
}

Differences differences(const Projections& wanted, const Product& p, const Grid& grid, int rank,
                        MPI_Comm world) {
  const Multiplier m(grid, rank, world);
  return {unequal(m.times(c_of(p), false, random_vector(p.n, 0)), wanted.of_rows,
                  wanted.row_tolerances),
          unequal(m.times(c_of(p), true, random_vector(p.m, 1)), wanted.of_cols,
                  wanted.col_tolerances)};
}

}  // namespace distributed
