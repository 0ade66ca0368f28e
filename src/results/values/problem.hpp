// The product that a result is about.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "results/values/data.hpp"

namespace results {

/// The most floats from a 256-byte boundary to a matrix: one more would be the next boundary.
inline constexpr int64_t LARGEST_OFFSET = 63;

/// C = alpha * op(A) * op(B) + beta * C, op(A) being M x K, op(B) K x N and C M x N. A and B may be transposed: then A lies in
/// memory as K rows of M elements, B as N rows of K. All are row-major with leading dimensions of at least 1 and at least the
/// length of a row in memory. Each matrix begins `offset` floats past a 256-byte boundary.
/// (cudaMalloc's memory begins on such a boundary.) The matrices' contents follow from `data` and `seed`.
///
/// A batch is several such products. From a matrix of one product to the same matrix of the next are `stride` elements, at least a
/// matrix's own elements with the gaps between its rows; or 0, and then all products share A (or B).
struct Problem {
  int64_t M = 0, N = 0, K = 0;
  int64_t lda = 1, ldb = 1, ldc = 1;
  int64_t offset_a = 0, offset_b = 0, offset_c = 0;
  float alpha = 1.0f;
  float beta = 0.0f;
  uint64_t seed = 0;
  Data data = Data::uniform;
  bool transposes_a = false, transposes_b = false;
  int64_t batch = 1;  // the number of products
  int64_t stride_a = 0, stride_b = 0, stride_c = 0;

  bool is_empty() const { return M == 0 || N == 0; }
  bool is_batch() const { return batch > 1; }
  bool is_square() const { return M == N && N == K; }
  bool has_transposes() const { return transposes_a || transposes_b; }
  /// The sizes of A and B as they lie in memory.
  int64_t rows_of_a() const { return transposes_a ? K : M; }
  int64_t cols_of_a() const { return transposes_a ? M : K; }
  int64_t rows_of_b() const { return transposes_b ? N : K; }
  int64_t cols_of_b() const { return transposes_b ? K : N; }
  bool is_dense() const {
    return lda == std::max<int64_t>(1, cols_of_a()) && ldb == std::max<int64_t>(1, cols_of_b()) &&
           ldc == std::max<int64_t>(1, N);
  }
  /// Makes the matrices dense, whatever their leading dimensions were.
  void make_dense() {
    lda = std::max<int64_t>(1, cols_of_a());
    ldb = std::max<int64_t>(1, cols_of_b());
    ldc = std::max<int64_t>(1, N);
  }
  /// The elements of each matrix with the gaps between its rows: the least strides of a batch that shares nothing.
  int64_t span_of_a() const { return span(rows_of_a(), lda); }
  int64_t span_of_b() const { return span(rows_of_b(), ldb); }
  int64_t span_of_c() const { return span(M, ldc); }
  /// Lays the products of a batch one behind the other. The strides of one product are 0.
  void make_strides_dense() {
    stride_a = is_batch() ? span_of_a() : 0;
    stride_b = is_batch() ? span_of_b() : 0;
    stride_c = is_batch() ? span_of_c() : 0;
  }
  bool has_dense_strides() const {
    Problem dense = *this;
    dense.make_strides_dense();
    return stride_a == dense.stride_a && stride_b == dense.stride_b && stride_c == dense.stride_c;
  }
  bool begins_on_boundaries() const { return offset_a == 0 && offset_b == 0 && offset_c == 0; }

  /// True if the matrices of all products begin on 256-byte boundaries if those of the first one do.
  bool every_product_begins_on_boundaries() const {
    constexpr int64_t FLOATS = LARGEST_OFFSET + 1;
    return stride_a % FLOATS == 0 && stride_b % FLOATS == 0 && stride_c % FLOATS == 0;
  }

  /// Returns the floating-point operations of all products by the usual count, a multiplication and an addition per step. 0 if there is
  /// no product.
  double flops() const {
    if (alpha == 0.0f) return 0;
    return 2.0 * static_cast<double>(batch) * static_cast<double>(M) * static_cast<double>(N) *
           static_cast<double>(K);
  }
  /// Returns the least traffic of any kernel: each A and B read once, each C written once, and read if beta is not 0.
  double least_bytes() const {
    const auto floats = [](int64_t rows, int64_t cols) {
      return static_cast<double>(rows) * static_cast<double>(cols);
    };
    const auto matrices = [this](int64_t stride) {
      return static_cast<double>(is_batch() && stride == 0 ? 1 : batch);
    };
    const double factors =
        flops() > 0 ? matrices(stride_a) * floats(M, K) + matrices(stride_b) * floats(K, N) : 0;
    return (factors + static_cast<double>(batch) * floats(M, N) * (beta != 0.0f ? 2 : 1)) *
           sizeof(float);
  }
  /// Returns "4096x4096x4096".
  std::string size() const {
    return std::to_string(M) + "x" + std::to_string(N) + "x" + std::to_string(K);
  }
  bool operator==(const Problem&) const = default;

 private:
  // Returns the product. Instead of more than 2^62, which no memory has, it returns that.
  static int64_t span(int64_t rows, int64_t ld) {
    constexpr int64_t MOST = int64_t{1} << 62;
    return rows > MOST / std::max<int64_t>(1, ld) ? MOST : rows * ld;
  }
};

/// Returns "A transposed", "B transposed", "A and B transposed" or, without transposes, nothing.
inline std::string transposes_of(const Problem& problem) {
  if (!problem.has_transposes()) return "";
  const std::string which = problem.transposes_a && problem.transposes_b ? "A and B"
                            : problem.transposes_a                       ? "A"
                                                                         : "B";
  return which + " transposed";
}

/// Returns ", 64 products", or of one product nothing.
inline std::string batch_of(const Problem& problem) {
  return problem.is_batch() ? ", " + std::to_string(problem.batch) + " products" : "";
}

/// Returns a problem with dense matrices.
inline Problem dense_problem(int64_t M, int64_t N, int64_t K) {
  Problem problem{.M = M, .N = N, .K = K};
  problem.make_dense();
  return problem;
}

}  // namespace results
