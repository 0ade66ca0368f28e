// Column-major products, as BLAS's callers have them.
#pragma once

#include <utility>

#include "kernels/ladder.hpp"

namespace ladder {

/// Returns a column-major call as a row-major one on the same memory. A column-major matrix lies in memory as its transpose does row by
/// row, so the call computes C' = op(B)' op(A)'.
inline Call by_rows(Call call) {
  Sgemm& p = call.product;
  std::swap(p.M, p.N);
  std::swap(p.A, p.B);
  std::swap(p.lda, p.ldb);
  std::swap(p.op_a, p.op_b);
  std::swap(call.stride_a, call.stride_b);
  return call;
}

}  // namespace ladder
