// A product and its result, prepared for the questions of a diagnosis.
#pragma once

#include <cstdint>
#include <vector>

#include "workshop/diagnose/diagnosis.hpp"

namespace workshop {

class ExaminedProduct {
 public:
  /// Keeps a reference to `evidence`. Throws std::invalid_argument if a matrix is smaller than its sizes say.
  explicit ExaminedProduct(const Evidence& evidence);

  const Evidence& given() const { return given_; }

  /// Returns an element of A or B; 0 beyond their edges, as kernels stage them.
  double a(int64_t i, int64_t k) const;
  double b(int64_t k, int64_t j) const;
  /// Returns the float at this distance from a matrix's first element; NaN outside of the matrix.
  double flat_a(int64_t at) const { return flat(given_.A, at); }
  double flat_b(int64_t at) const { return flat(given_.B, at); }

  /// Returns the sum over K.
  double product(int64_t i, int64_t j) const { return product_[index(i, j)]; }
  /// Returns C(i, j) for this sum over K: alpha times the sum plus beta times the old C.
  double blended(double product, int64_t i, int64_t j) const {
    return blended(product, i, j, given_.alpha, given_.beta);
  }
  double blended(double product, int64_t i, int64_t j, double alpha, double beta) const;
  double want(int64_t i, int64_t j) const { return blended(product(i, j), i, j); }

  float got(int64_t i, int64_t j) const { return given_.C[offset(i, j)]; }
  float before(int64_t i, int64_t j) const { return given_.before[offset(i, j)]; }
  /// True if C(i, j) equals `value`. Any NaN equals any other, but not poison.
  bool is(int64_t i, int64_t j, double value) const;
  /// True if C(i, j) has the same bits as before the call.
  bool is_untouched(int64_t i, int64_t j) const;

  bool is_wrong(int64_t i, int64_t j) const { return wrong_[index(i, j)]; }
  int64_t wrong() const { return wrong_count_; }

 private:
  static double flat(const std::vector<float>& matrix, int64_t at);
  size_t index(int64_t i, int64_t j) const { return static_cast<size_t>(i * given_.N + j); }
  size_t offset(int64_t i, int64_t j) const { return static_cast<size_t>(i * given_.ldc + j); }

  const Evidence& given_;
  std::vector<double> product_;
  std::vector<bool> wrong_;
  int64_t wrong_count_ = 0;
};

}  // namespace workshop
