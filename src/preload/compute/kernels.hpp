// The kernels before and behind a product: one gathers matrices whose addresses lie on the device, and one applies scalars that lie on the
// device, or an epilogue.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "preload/choose/request.hpp"

namespace preload {

/// A factor, on the host or on the device.
struct Factor {
  float value = 1;
  const float* on_device = nullptr;  // if not nullptr, the factor is there
};

/// D = activation(alpha * product + beta * C + bias) for `batch` row-major matrices of M x N. The product may be D, and C may be D. If alpha
/// is 0, the product is not read; if beta is 0, C is not read. With `results`, C and D are the matrices at its addresses.
struct Finish {
  int64_t M, N, batch;
  Factor alpha;
  const float* product;
  int64_t ld_product, stride_product;
  Factor beta;
  const float* C;
  int64_t ldc, stride_c;
  float* D;
  int64_t ldd, stride_d;
  float* const* results;  // in device memory; nullptr: none
  const float* bias;      // nullptr: none
  bool is_bias_of_rows;   // an element for each row, or for each column
  int64_t stride_bias;
  Activation activation;
};

/// Copies `batch` matrices of `count` lines with `length` elements each from the addresses in `from` to one place, one behind the other. If
/// alpha is 0, nothing is read there, and the copies are zeros.
struct Gather {
  int64_t length, count, batch;
  Factor alpha;
  const float* const* from;  // in device memory
  int64_t ld;
  float* to;
  int64_t ld_to;
};

/// Launch the kernels. Return the launch's error.
cudaError_t launch_finish(const Finish& f, cudaStream_t stream);
cudaError_t launch_gather(const Gather& g, cudaStream_t stream);

}  // namespace preload
