// What the choice of a rung depends on, of a product.
#pragma once

#include <cstdint>

#include "kernels/alignment.hpp"
#include "kernels/ladder.hpp"

namespace ladder {

/// A product's shape. A matrix is aligned if it and its rows begin at multiples of 16 bytes.
struct ProductShape {
  int64_t M, N, K;
  bool transposed_a = false, transposed_b = false;
  bool aligned_a = true, aligned_b = true, aligned_c = true;
  constexpr bool operator==(const ProductShape&) const = default;
};

/// Returns the shape of a product of dense matrices that begin at multiples of 16 bytes.
constexpr ProductShape dense_shape(int64_t M, int64_t N, int64_t K) {
  const bool k = K % 4 == 0, n = N % 4 == 0;
  return {.M = M, .N = N, .K = K, .aligned_a = k, .aligned_b = n, .aligned_c = n};
}

/// Returns the shape of a call's products. A matrix is aligned if all products' are.
inline ProductShape shape_of(const Call& call) {
  constexpr int64_t BYTES = 16, FLOATS = 4;
  const Sgemm& p = call.product;
  return {.M = p.M,
          .N = p.N,
          .K = p.K,
          .transposed_a = p.op_a == Op::transpose,
          .transposed_b = p.op_b == Op::transpose,
          .aligned_a = is_vector_aligned(p.A, p.lda, BYTES) && call.stride_a % FLOATS == 0,
          .aligned_b = is_vector_aligned(p.B, p.ldb, BYTES) && call.stride_b % FLOATS == 0,
          .aligned_c = is_vector_aligned(p.C, p.ldc, BYTES) && call.stride_c % FLOATS == 0};
}

}  // namespace ladder
