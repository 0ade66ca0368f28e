// cooperative_groups::reduce over a tile, with plus, less and greater.
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

/// `operation` over the values of all threads of the tile, given to each of them.
template <unsigned int Size, typename Parent, typename T, typename Operation>
__simulator_device T reduce(const thread_block_tile<Size, Parent>& tile, T value,
                            Operation operation) {
  for (int bits = static_cast<int>(Size) / 2; bits > 0; bits /= 2) {
    value = operation(value, tile.shfl_xor(value, bits));
  }
  return value;
}

}  // namespace cooperative_groups

#endif
