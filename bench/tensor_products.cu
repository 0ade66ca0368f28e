#include "bench/tensor_products.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "device/tensor_core.cuh"

namespace {

using device::Factor;

// Four different numbers in [-1, 1) for each lane and register.
__device__ float number(unsigned seed) {
  seed = (seed ^ seed >> 16) * 0x45d9f3bu;
  seed = (seed ^ seed >> 16) * 0x45d9f3bu;
  return static_cast<float>(static_cast<int>(seed ^ seed >> 16)) * 0x1p-31f;
}

template <Factor FACTOR>
__device__ uint32_t factors(unsigned seed) {
  const float first = number(2 * seed), second = number(2 * seed + 1);
  if constexpr (FACTOR == Factor::tf32) {
    return __float_as_uint(first);
  } else if constexpr (FACTOR == Factor::f16) {
    return __half_as_ushort(__float2half(first)) | uint32_t{__half_as_ushort(__float2half(second))}
                                                       << 16;
  } else {
    return __bfloat16_as_ushort(__float2bfloat16(first)) |
           uint32_t{__bfloat16_as_ushort(__float2bfloat16(second))} << 16;
  }
}

// Four independent sums, as in a warp's tile.
template <Factor FACTOR, int K>
__global__ void products_kernel(float* sums, int steps) {
  constexpr int SUMS = 4;
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t a[4], b[SUMS][2];
  for (int i = 0; i < 4; ++i) a[i] = factors<FACTOR>(16 * thread + i);
  for (int j = 0; j < SUMS; ++j) {
    for (int i = 0; i < 2; ++i) b[j][i] = factors<FACTOR>(16 * thread + 4 + 2 * j + i);
  }
  float c[SUMS][4] = {};
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int j = 0; j < SUMS; ++j) device::multiply_fragments<FACTOR, K>(c[j], a, b[j], c[j]);
  }
  float sum = 0;
  for (int j = 0; j < SUMS; ++j) sum += c[j][0] + c[j][1] + c[j][2] + c[j][3];
  sums[thread] = sum;
}

template <Factor FACTOR, int K>
cudaError_t launch(float* sums) {
  products_kernel<FACTOR, K><<<TensorProducts::BLOCKS, 128>>>(sums, 64);
  return cudaGetLastError();
}

}  // namespace

const std::array<TensorProducts, 6>& tensor_products() {
  static const std::array<TensorProducts, 6> all = {{
      {"m16n8k16.f16", launch<Factor::f16, 16>},
      {"m16n8k8.f16", launch<Factor::f16, 8>},
      {"m16n8k16.bf16", launch<Factor::bf16, 16>},
      {"m16n8k8.bf16", launch<Factor::bf16, 8>},
      {"m16n8k8.tf32", launch<Factor::tf32, 8>},
      {"m16n8k4.tf32", launch<Factor::tf32, 4>},
  }};
  return all;
}
