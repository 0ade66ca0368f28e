// How a grid covers a matrix.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace device {

/// How many pieces of size `piece` cover `whole`.
__host__ __device__ constexpr int64_t ceil_div(int64_t whole, int64_t piece) {
  return (whole + piece - 1) / piece;
}

/// A grid of one block for each tile. It is one-dimensional because only x may exceed 65,535. More
/// tiles than a device takes (2^31 - 1) become an empty grid, so that the launch fails instead of
/// leaving tiles out.
inline dim3 grid_of(int64_t tiles) {
  return dim3(tiles > INT32_MAX ? 0 : static_cast<unsigned>(tiles));
}

}  // namespace device
