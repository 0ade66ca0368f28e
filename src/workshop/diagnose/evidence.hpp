// What a diagnosis asks again and again of a product and its result.
#pragma once

#include <cstdint>
#include <vector>

#include "workshop/diagnose/diagnosis.hpp"

namespace workshop {

class ExaminedProduct {
 public:
  /// Keeps a reference to `evidence`. Throws std::invalid_argument where a matrix is smaller than the sizes say.
  explicit ExaminedProduct(const Evidence& evidence);

  const Evidence& given() const { return given_; }

  /// Elements of A and B; 0 beyond their edges, which is what kernels stage there.
  double a(int64_t i, int64_t k) const;
  double b(int64_t k, int64_t j) const;
  /// What lies so many floats behind the first element of a matrix; a NaN outside of it.
  double flat_a(int64_t at) const { return flat(given_.A, at); }
  double flat_b(int64_t at) const { return flat(given_.B, at); }

  /// The sum over K.
  double product(int64_t i, int64_t j) const { return product_[index(i, j)]; }
  /// What C(i, j) is if its sum over K is `product`: blended with alpha, beta and the old C.
  double blended(double product, int64_t i, int64_t j) const {
    return blended(product, i, j, given_.alpha, given_.beta);
  }
  double blended(double product, int64_t i, int64_t j, double alpha, double beta) const;
  double want(int64_t i, int64_t j) const { return blended(product(i, j), i, j); }

  float got(int64_t i, int64_t j) const { return given_.C[offset(i, j)]; }
  float before(int64_t i, int64_t j) const { return given_.before[offset(i, j)]; }
  /// Whether the kernel can have meant to leave `value` at (i, j). A NaN is any NaN but poison.
  bool is(int64_t i, int64_t j, double value) const;
  /// Whether (i, j) is, bit for bit, what it was before.
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
