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
};

inline ProductShape shape_of(const Sgemm& p) {
  constexpr int64_t BYTES = 16;
  return {.M = p.M,
          .N = p.N,
          .K = p.K,
          .transposed_a = p.op_a == Op::transpose,
          .transposed_b = p.op_b == Op::transpose,
          .aligned_a = is_vector_aligned(p.A, p.lda, BYTES),
          .aligned_b = is_vector_aligned(p.B, p.ldb, BYTES),
          .aligned_c = is_vector_aligned(p.C, p.ldc, BYTES)};
}

}  // namespace ladder
