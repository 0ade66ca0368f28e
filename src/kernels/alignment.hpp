// Tests of the alignment that vector accesses need.
#pragma once

#include <cstdint>

#include "device/alignment.hpp"
#include "kernels/ladder.hpp"

namespace ladder {

using device::is_vector_aligned;

/// True if is_vector_aligned() holds for B and C. That is enough for a kernel that moves A a float at a time.
inline bool are_b_and_c_vector_aligned(const Sgemm& p, int64_t bytes) {
  return is_vector_aligned(p.B, p.ldb, bytes) && is_vector_aligned(p.C, p.ldc, bytes);
}

/// True if is_vector_aligned() holds for all three matrices.
inline bool is_vector_aligned(const Sgemm& p, int64_t bytes) {
  return is_vector_aligned(p.A, p.lda, bytes) && are_b_and_c_vector_aligned(p, bytes);
}

/// True if it holds for all matrices of a batch.
inline bool is_vector_aligned(const Call& call, int64_t bytes) {
  const int64_t floats = bytes / static_cast<int64_t>(sizeof(float));
  return is_vector_aligned(call.product, bytes) && call.stride_a % floats == 0 &&
         call.stride_b % floats == 0 && call.stride_c % floats == 0;
}

}  // namespace ladder
