// What every product ends with.
#pragma once

#include <cuda_runtime.h>

namespace device {

/// One element of the result. beta = 0 must not read C: a NaN there would survive a multiplication
/// by 0.
__device__ inline float blend(float alpha, float product, float beta, const float* c) {
  return beta == 0.0f ? alpha * product : alpha * product + beta * *c;
}

}  // namespace device
