#include "workshop/diagnose/evidence.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "runner/verify/inputs.hpp"

namespace workshop {
namespace {

void require(const char* name, const std::vector<float>& matrix, int64_t rows, int64_t cols,
             int64_t ld) {
  const int64_t floats = rows == 0 || cols == 0 ? 0 : (rows - 1) * ld + cols;
  if (ld >= cols && std::ssize(matrix) >= floats) return;
  throw std::invalid_argument(fmt::format("{} has {} floats; {}x{} with {} from row to row are {}",
                                          name, matrix.size(), rows, cols, ld, floats));
}

}  // namespace

ExaminedProduct::ExaminedProduct(const Evidence& evidence) : given_(evidence) {
  const int64_t M = given_.M, N = given_.N, K = given_.K;
  require("A", given_.A, M, K, given_.lda);
  require("B", given_.B, K, N, given_.ldb);
  require("C before the call", given_.before, M, N, given_.ldc);
  require("C", given_.C, M, N, given_.ldc);
  product_.resize(static_cast<size_t>(M * N));
  wrong_.resize(product_.size());
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t k = 0; k < K; ++k) {
      const double factor = a(i, k);
      for (int64_t j = 0; j < N; ++j) product_[index(i, j)] += factor * b(k, j);
    }
    for (int64_t j = 0; j < N; ++j) {
      if (is(i, j, want(i, j))) continue;
      wrong_[index(i, j)] = true;
      ++wrong_count_;
    }
  }
}

double ExaminedProduct::a(int64_t i, int64_t k) const {
  if (i < 0 || i >= given_.M || k < 0 || k >= given_.K) return 0;
  return given_.A[static_cast<size_t>(i * given_.lda + k)];
}

double ExaminedProduct::b(int64_t k, int64_t j) const {
  if (k < 0 || k >= given_.K || j < 0 || j >= given_.N) return 0;
  return given_.B[static_cast<size_t>(k * given_.ldb + j)];
}

double ExaminedProduct::flat(const std::vector<float>& matrix, int64_t at) {
  if (at < 0 || at >= std::ssize(matrix)) return std::numeric_limits<double>::quiet_NaN();
  return matrix[static_cast<size_t>(at)];
}

double ExaminedProduct::blended(double product, int64_t i, int64_t j, double alpha,
                                double beta) const {
  const double scaled = alpha == 0 || given_.K == 0 ? 0 : alpha * product;
  return beta == 0 ? scaled : scaled + beta * before(i, j);
}

bool ExaminedProduct::is(int64_t i, int64_t j, double value) const {
  const float there = got(i, j);
  if (std::isnan(value)) return std::isnan(there) && !runner::is_poison(there);
  return there == static_cast<float>(value);
}

bool ExaminedProduct::is_untouched(int64_t i, int64_t j) const {
  return std::bit_cast<uint32_t>(got(i, j)) == std::bit_cast<uint32_t>(before(i, j));
}

}  // namespace workshop
