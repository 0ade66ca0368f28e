// How a grid covers a matrix.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace device {

/// Returns how many pieces of size `piece` cover `whole`.
__host__ __device__ constexpr int64_t ceil_div(int64_t whole, int64_t piece) {
  return (whole + piece - 1) / piece;
}

/// Returns a grid of one block for each tile. It is one-dimensional because only x may exceed 65,535. A device takes at
/// most 2^31 - 1 blocks: for more tiles the grid is empty, so that the launch fails instead of leaving tiles out.
inline dim3 grid_of(int64_t tiles) {
  return dim3(tiles > INT32_MAX ? 0 : static_cast<unsigned>(tiles));
}

/// Returns such a grid for each product of a batch of at most 65,535, in the direction y.
inline dim3 grid_for_batch(int64_t tiles, int64_t batch) {
  return dim3(grid_of(tiles).x, static_cast<unsigned>(batch));
}

}  // namespace device
