#include "bench/tensor_products.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "device/mbarrier.cuh"
#include "device/tensor_core.cuh"
#include "device/wgmma.cuh"

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

// A warpgroup's tile of 64 x 128. The rows of A and B in shared memory have 128 bytes, as much as four wgmma take.
template <Factor FACTOR>
__global__ void warpgroup_products_kernel(float* sums, int steps) {
  constexpr int M = 64, N = 128, WORDS = 32;  // of a row
  __shared__ alignas(1024) uint32_t a[M * WORDS], b[N * WORDS];
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = threadIdx.x; i < M * WORDS; i += blockDim.x) a[i] = factors<FACTOR>(i);
  for (unsigned i = threadIdx.x; i < N * WORDS; i += blockDim.x) b[i] = factors<FACTOR>(~i);
  device::fence_for_copies();
  __syncthreads();
  const auto described = [](const uint32_t* words, int k) {
    return device::describe_matrix(device::shared_address(words) + k * 32, 0, 1024,
                                   device::Swizzle::bytes_128);
  };
  float c[N / 2] = {};
  for (int step = 0; step < steps; ++step) {
    device::fence_wgmma();
#pragma unroll
    for (int k = 0; k < 4; ++k)
      device::multiply_async<FACTOR, N>(c, described(a, k), described(b, k), true);
    device::commit_wgmma();
    device::wait_wgmma<0>();
  }
  float sum = 0;
  for (const float one : c) sum += one;
  sums[thread] = sum;
}

template <Factor FACTOR, int K>
cudaError_t launch(float* sums) {
  products_kernel<FACTOR, K><<<TensorProducts::BLOCKS, 128>>>(sums, 64);
  return cudaGetLastError();
}

template <Factor FACTOR>
cudaError_t launch_warpgroups(float* sums) {
  warpgroup_products_kernel<FACTOR><<<TensorProducts::BLOCKS, 128>>>(sums, 4);
  return cudaGetLastError();
}

}  // namespace

const std::array<TensorProducts, 9>& tensor_products() {
  static const std::array<TensorProducts, 9> all = {{
      {"mma.sync/m16n8k16.f16", launch<Factor::f16, 16>},
      {"mma.sync/m16n8k8.f16", launch<Factor::f16, 8>},
      {"mma.sync/m16n8k16.bf16", launch<Factor::bf16, 16>},
      {"mma.sync/m16n8k8.bf16", launch<Factor::bf16, 8>},
      {"mma.sync/m16n8k8.tf32", launch<Factor::tf32, 8>},
      {"mma.sync/m16n8k4.tf32", launch<Factor::tf32, 4>},
      {"wgmma/m64n128k16.f16", launch_warpgroups<Factor::f16>},
      {"wgmma/m64n128k16.bf16", launch_warpgroups<Factor::bf16>},
      {"wgmma/m64n128k8.tf32", launch_warpgroups<Factor::tf32>},
  }};
  return all;
}
