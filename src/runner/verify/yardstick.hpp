// The right elements of a result, and their error bounds.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "results/values/problem.hpp"
#include "runner/verify/inputs.hpp"

namespace runner {

inline constexpr int64_t SAMPLED_ROWS = 128;
inline constexpr int64_t SAMPLED_COLS = 128;

/// An FP64 product of all rows and columns, or of a sample if all would take more than `most_complete_products`
/// multiplications.
class Yardstick {
 public:
  Yardstick(const results::Problem& problem, const Inputs& inputs, int64_t most_complete_products,
            const ladder::Arithmetic& arithmetic = ladder::FP32);

  /// Returns the rows and columns whose elements are known, sorted.
  const std::vector<int64_t>& rows() const { return rows_; }
  const std::vector<int64_t>& cols() const { return cols_; }
  /// True if these are all rows and columns.
  bool is_complete() const { return complete_; }

  /// Returns the right value of the element in the i-th of these rows and the j-th of these columns.
  double want(size_t i, size_t j) const { return want_(index(i), index(j)); }
  double bound(size_t i, size_t j) const { return bound_(index(i), index(j)); }
  /// Returns |alpha| |A||B| + |beta| |C| of that element, without the terms that are infinite or NaN.
  double magnitude(size_t i, size_t j) const { return magnitude_(index(i), index(j)); }

  /// True if the element has an error to measure: it is finite and no FP32 arithmetic overflows on the way to it.
  bool is_ordinary(size_t i, size_t j) const;

  /// True if `got` is right for that element, by the rung's arithmetic:
  ///   - If the exact value is infinite or NaN, `got` is the same. It may be a NaN for an infinity if finite terms overflow.
  ///   - Otherwise `got` is finite and within the bound,
  ///   - or if alpha * sum or beta * C overflows in FP32, the infinity of one that does, even if their sum fits; a NaN if
  ///     both overflow with opposite signs,
  ///   - or if a sum of some terms may overflow, any infinity or NaN, which depends on the order. A rung with ErrorLimits
  ///     promises more: is_exact_class() must hold.
  /// An element that was never written is never right.
  bool is_right(size_t i, size_t j, float got) const;
  /// True if `got` is of the exact value's class: finite, NaN, or the infinity with the same sign. Two more cases are true:
  ///   - If a sum of some terms may overflow, the infinity with the exact sum's sign, or with that of a beta * C that
  ///     overflows; a NaN for an exact infinity.
  ///   - If only alpha * sum or beta * C may overflow, the infinity or NaN that is_right() takes.
  bool is_exact_class(size_t i, size_t j, float got) const;

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  void add_product(int64_t K);
  bool sums_may_overflow(size_t i, size_t j) const;
  double addend(size_t i, size_t j) const;
  bool overflows_after_the_sum(size_t i, size_t j, float got) const;
  static Eigen::Index index(size_t i) { return static_cast<Eigen::Index>(i); }

  Inputs inputs_;
  bool is_strict_;  // the rung has ErrorLimits
  bool complete_;
  std::vector<int64_t> rows_, cols_;
  RowMajor want_, bound_, magnitude_;
  RowMajor sum_magnitude_;  // |A||B|
};

}  // namespace runner
