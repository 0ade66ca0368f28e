// __launch_bounds__: promises to the compiler about the launch, which the launch must keep.
// Easily got wrong: a launch with more threads than promised fails, although the device could run it.
#include <cstdio>

template <int THREADS>
__global__ void __launch_bounds__(THREADS, 2) bounded(int* out) {
  out[blockIdx.x * THREADS + threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
}
__global__ __launch_bounds__(64) void small(int* out) { out[threadIdx.x] = -1; }
__device__ __forceinline__ int helper(int v) { return v + 1; }
__global__ void plain(int* out) { out[threadIdx.x] = helper(out[threadIdx.x]); }

int main() {
  int h[512], *d, wrong = 0;
  cudaMalloc(&d, sizeof h);
  bounded<256><<<2, 256>>>(d);
  plain<<<1, 512>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 512; ++i) wrong += h[i] != i / 256 * 1000 + i % 256 + 1;
  cudaFuncAttributes a;
  cudaFuncGetAttributes(&a, bounded<256>);
  printf("%d at most\n", a.maxThreadsPerBlock);
  small<<<1, 128>>>(d);
  const bool refused = cudaGetLastError() != cudaSuccess;
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  printf("refused: %d, left alone: %d\n", refused, h[0]);
  puts(wrong || !refused || h[0] != 1 ? "FAILED" : "PASSED");
  cudaFree(d);
}
