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

  /// The rows and columns whose elements are known, sorted.
  const std::vector<int64_t>& rows() const { return rows_; }
  const std::vector<int64_t>& cols() const { return cols_; }
  /// True if these are all rows and columns.
  bool is_complete() const { return complete_; }

  /// The right value of the element in the i-th of these rows and the j-th of these columns.
  double want(size_t i, size_t j) const { return want_(index(i), index(j)); }
  double bound(size_t i, size_t j) const { return bound_(index(i), index(j)); }

  /// True if `got` is right for that element. If alpha * sum or beta * C overflows in FP32, an infinity is right even if
  /// their sum fits; a NaN is right if both overflow with opposite signs.
  bool is_right(size_t i, size_t j, float got) const;

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  static Eigen::Index index(size_t i) { return static_cast<Eigen::Index>(i); }

  Inputs inputs_;
  bool complete_;
  std::vector<int64_t> rows_, cols_;
  RowMajor want_, bound_;
};

}  // namespace runner
