// Each block counts its part of the numbers in shared memory. Then one thread adds the whole histogram to the one in global memory with a
// single bulk reduction, and merges the block's minima and maxima in the same way. No atomic runs through registers.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int BINS = 64, THREADS = 128, BLOCKS = 24, PER_BLOCK = 1000;

struct alignas(16) Summary {
  unsigned count[BINS];
  int least[BINS], most[BINS];
};

__device__ inline uint32_t smem(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

#define REDUCE(WHAT, TO, FROM)                                                              \
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." WHAT " [%0], [%1], %2;" \
               :                                                                            \
               : "l"(TO), "r"(smem(FROM)), "r"(uint32_t(sizeof FROM))                       \
               : "memory")

__global__ void summarize(const int* numbers, int n, Summary* total) {
  __shared__ Summary own;
  for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
    own.count[bin] = 0;
    own.least[bin] = INT32_MAX;
    own.most[bin] = INT32_MIN;
  }
  __syncthreads();
  const int end = min(n, int(blockIdx.x + 1) * PER_BLOCK);
  for (int i = blockIdx.x * PER_BLOCK + threadIdx.x; i < end; i += blockDim.x) {
    const int bin = unsigned(numbers[i]) % BINS;
    atomicAdd(&own.count[bin], 1u);
    atomicMin(&own.least[bin], numbers[i]);
    atomicMax(&own.most[bin], numbers[i]);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    REDUCE("add.u32", total->count, own.count);
    REDUCE("min.s32", total->least, own.least);
    REDUCE("max.s32", total->most, own.most);
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

int main() {
  const int n = BLOCKS * PER_BLOCK - 300;
  std::vector<int> numbers(n);
  unsigned state = 12345;
  for (int& number : numbers) {
    state = state * 1664525u + 1013904223u;
    number = int(state >> 4) - (1 << 27);
  }
  Summary want, got;
  for (int bin = 0; bin < BINS; ++bin) {
    want.count[bin] = 0;
    want.least[bin] = INT32_MAX;
    want.most[bin] = INT32_MIN;
  }
  int* d_numbers;
  Summary* d_total;
  cudaMalloc(&d_numbers, n * sizeof(int));
  cudaMalloc(&d_total, sizeof(Summary));
  cudaMemcpy(d_numbers, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_total, &want, sizeof want, cudaMemcpyHostToDevice);
  summarize<<<BLOCKS, THREADS>>>(d_numbers, n, d_total);
  cudaMemcpy(&got, d_total, sizeof got, cudaMemcpyDeviceToHost);
  for (int number : numbers) {
    const int bin = unsigned(number) % BINS;
    ++want.count[bin];
    if (number < want.least[bin]) want.least[bin] = number;
    if (number > want.most[bin]) want.most[bin] = number;
  }
  int wrong = 0;
  unsigned sum = 0;
  for (int bin = 0; bin < BINS; ++bin) {
    wrong += got.count[bin] != want.count[bin];
    wrong += got.least[bin] != want.least[bin];
    wrong += got.most[bin] != want.most[bin];
    sum += got.count[bin];
  }
  printf("numbers: %d, counted: %u, wrong bins: %d\n", n, sum, wrong);
  printf("bin 0: %u numbers from %d to %d\n", got.count[0], got.least[0], got.most[0]);
  printf("%s\n", wrong == 0 ? "PASSED" : "FAILED");
  cudaFree(d_numbers);
  cudaFree(d_total);
  return wrong != 0;
}
