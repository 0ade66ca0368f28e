#include "preload/compute/kernels.hpp"

#include <algorithm>

#include "device/grid.hpp"
#include "kernels/tuned/launch_kernel.hpp"

namespace preload {
namespace {

constexpr int THREADS = 256;

__device__ float value_of(const Factor& factor) {
  return factor.on_device == nullptr ? factor.value : *factor.on_device;
}

// GELU, by its approximation with tanh.
__device__ float gelu(float x) {
  constexpr float SQRT_2_OVER_PI = 0.79788456f, CUBIC = 0.044715f;
  return 0.5f * x * (1 + tanhf(SQRT_2_OVER_PI * (x + CUBIC * x * x * x)));
}

__device__ float activate(Activation activation, float x) {
  switch (activation) {
    case Activation::relu:
      return x < 0 ? 0 : x;  // a NaN stays one
    case Activation::gelu:
      return gelu(x);
    case Activation::none:
      break;
  }
  return x;
}

// A thread computes one column of some rows: neighbouring threads write neighbouring elements.
__global__ void __launch_bounds__(THREADS) finish_kernel(Finish f) {
  const float alpha = value_of(f.alpha), beta = value_of(f.beta);
  const int64_t col = int64_t{blockIdx.x} * THREADS + threadIdx.x;
  if (col >= f.N) return;
  for (int64_t i = blockIdx.z; i < f.batch; i += gridDim.z) {
    const float* const C = f.results == nullptr ? f.C + i * f.stride_c : f.results[i];
    float* const D = f.results == nullptr ? f.D + i * f.stride_d : f.results[i];
    for (int64_t row = blockIdx.y; row < f.M; row += gridDim.y) {
      float x = 0;
      if (alpha != 0) x = alpha * f.product[i * f.stride_product + row * f.ld_product + col];
      if (beta != 0) x += beta * C[row * f.ldc + col];
      if (f.bias != nullptr) x += f.bias[i * f.stride_bias + (f.is_bias_of_rows ? row : col)];
      D[row * f.ldd + col] = activate(f.activation, x);
    }
  }
}

// A thread copies one element of some lines.
__global__ void __launch_bounds__(THREADS) gather_kernel(Gather g) {
  const int64_t element = int64_t{blockIdx.x} * THREADS + threadIdx.x;
  if (element >= g.length) return;
  const bool is_read = value_of(g.alpha) != 0;
  for (int64_t i = blockIdx.z; i < g.batch; i += gridDim.z) {
    const float* const from = g.from[i];
    float* const to = g.to + i * g.count * g.ld_to;
    for (int64_t line = blockIdx.y; line < g.count; line += gridDim.y)
      to[line * g.ld_to + element] = is_read ? from[line * g.ld + element] : 0;
  }
}

// Threads for the elements of a line, and blocks for the lines and the matrices.
dim3 grid_of(int64_t length, int64_t lines, int64_t batch) {
  constexpr int64_t MOST = 65535;  // blocks in y and z
  return {static_cast<unsigned>(device::ceil_div(length, THREADS)),
          static_cast<unsigned>(std::min(lines, MOST)),
          static_cast<unsigned>(std::min(batch, MOST))};
}

}  // namespace

cudaError_t launch_finish(const Finish& f, cudaStream_t stream) {
  return ladder::launch_kernel(finish_kernel, grid_of(f.N, f.M, f.batch), THREADS, 0, stream, f);
}

cudaError_t launch_gather(const Gather& g, cudaStream_t stream) {
  return ladder::launch_kernel(gather_kernel, grid_of(g.length, g.count, g.batch), THREADS, 0,
                               stream, g);
}

}  // namespace preload
