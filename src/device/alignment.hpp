// The alignment that vector accesses need.
#pragma once

#include <cstdint>

namespace device {

/// True if the rows of the matrix can be accessed in pieces of `bytes` bytes (16 or 32): the pointer and the leading
/// dimension are multiples of that width.
inline bool is_vector_aligned(const float* matrix, int64_t ld, int64_t bytes) {
  return reinterpret_cast<uintptr_t>(matrix) % static_cast<uintptr_t>(bytes) == 0 &&
         ld * static_cast<int64_t>(sizeof(float)) % bytes == 0;
}

}  // namespace device
