// The last step of every product.
#pragma once

#include <cuda_runtime.h>

namespace device {

/// Returns one element of the result. It does not read C if beta is 0: a NaN there would survive a multiplication by 0.
__device__ inline float blend(float alpha, float product, float beta, const float* c) {
  return beta == 0.0f ? alpha * product : alpha * product + beta * *c;
}

}  // namespace device
