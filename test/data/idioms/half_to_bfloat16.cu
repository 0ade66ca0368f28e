// Each number of FP16 becomes one of BF16 by a cast, and back. Both casts must be written out.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>

__device__ unsigned sum_of_halves, sum_of_brains;

// Adds up the bits of all results but NaNs, each with its place, so that no two errors cancel.
__global__ void convert() {
  const unsigned bits = blockIdx.x * blockDim.x + threadIdx.x;
  const __half half = __ushort_as_half(static_cast<unsigned short>(bits));
  const __nv_bfloat16 brain = __ushort_as_bfloat16(static_cast<unsigned short>(bits));
  if (!__hisnan(half)) atomicAdd(&sum_of_brains, (bits + 1) * __bfloat16_as_ushort(static_cast<__nv_bfloat16>(half)));
  if (!__hisnan(brain)) atomicAdd(&sum_of_halves, (bits + 1) * __half_as_ushort(static_cast<__half>(brain)));
}

int main() {
  convert<<<256, 256>>>();
  unsigned brains = 0, halves = 0;
  cudaMemcpyFromSymbol(&brains, sum_of_brains, sizeof brains);
  cudaMemcpyFromSymbol(&halves, sum_of_halves, sizeof halves);
  std::printf("%08x %08x\n", brains, halves);
  return cudaDeviceSynchronize() != cudaSuccess;
}
