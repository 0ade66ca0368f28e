// Single elements of op(A) and op(B), wherever they lie. FP64, which computes what the parts cannot, reads A and B an element at a time.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/ladder.hpp"

namespace ladder {

/// The elements of op(A) and op(B).
struct ElementsOf {
  const float *A, *B;
  int64_t row_of_a, k_of_a, k_of_b, col_of_b;  // the distances from one to the next

  __device__ explicit ElementsOf(const Sgemm& p)
      : A(p.A),
        B(p.B),
        row_of_a(p.op_a == Op::none ? p.lda : 1),
        k_of_a(p.op_a == Op::none ? 1 : p.lda),
        k_of_b(p.op_b == Op::none ? p.ldb : 1),
        col_of_b(p.op_b == Op::none ? 1 : p.ldb) {}

  __device__ float a(int64_t row, int64_t k) const { return A[row * row_of_a + k * k_of_a]; }
  __device__ float b(int64_t k, int64_t col) const { return B[k * k_of_b + col * col_of_b]; }
};

}  // namespace ladder
