// The product that a run is about, as the command line states it.
#pragma once

#include <cstdint>
#include <string>

namespace runner {

/// C = alpha * A * B + beta * C, A being M x K, B K x N and C M x N, row-major with leading dimensions
/// lda >= max(1, K) and ldb, ldc >= max(1, N). The matrices' contents follow from `seed`.
struct Problem {
  int64_t M = 0, N = 0, K = 0;
  int64_t lda = 1, ldb = 1, ldc = 1;
  float alpha = 1.0f;
  float beta = 0.0f;
  uint64_t seed = 0;

  /// Floating-point operations by the usual count: a multiplication and an addition per step.
  double flops() const {
    return 2.0 * static_cast<double>(M) * static_cast<double>(N) * static_cast<double>(K);
  }
  bool is_square() const { return M == N && N == K; }
  bool is_dense() const {
    return lda == (K > 0 ? K : 1) && ldb == (N > 0 ? N : 1) && ldc == (N > 0 ? N : 1);
  }
  /// "4096x4096x4096"
  std::string size() const {
    return std::to_string(M) + "x" + std::to_string(N) + "x" + std::to_string(K);
  }
};

/// A problem with dense matrices.
inline Problem dense_problem(int64_t M, int64_t N, int64_t K) {
  return {.M = M, .N = N, .K = K, .lda = K > 0 ? K : 1, .ldb = N > 0 ? N : 1, .ldc = N > 0 ? N : 1};
}

}  // namespace runner
