// cooperative_groups::reduce over a tile or a coalesced group, with the operations that CUDA names or any other
// associative operation.
#pragma once
#pragma GCC system_header

#if defined(__CUDA__)

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <typename T>
struct plus {
  __host__ __device__ T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct less {  // the lesser of two
  __host__ __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T>
struct greater {
  __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T>
struct bit_and {
  __host__ __device__ T operator()(T a, T b) const { return a & b; }
};
template <typename T>
struct bit_or {
  __host__ __device__ T operator()(T a, T b) const { return a | b; }
};
template <typename T>
struct bit_xor {
  __host__ __device__ T operator()(T a, T b) const { return a ^ b; }
};

/// Applies `operation` to the values of all threads of the group. Each thread gets the result.
template <unsigned int Size, typename Parent, typename T, typename Operation>
__simulator_device T reduce(const thread_block_tile<Size, Parent>& tile, T value,
                            Operation operation) {
  if constexpr (Size > 32) {
    return tile.__combined(value, operation);
  } else {
    for (unsigned int bits = Size / 2; bits > 0; bits /= 2) {
      value = operation(value, tile.shfl_xor(value, bits));
    }
    return value;
  }
}
template <typename T, typename Operation>
__simulator_device T reduce(const coalesced_group& group, T value, Operation operation) {
  T result = group.shfl(value, 0);
  for (unsigned int rank = 1; rank < group.size(); ++rank) {
    result = operation(result, group.shfl(value, static_cast<int>(rank)));
  }
  return result;
}

}  // namespace cooperative_groups

#endif
