// A launch with too many threads, too much shared memory or an empty grid fails at once and runs nothing.
// Easily got wrong: the error is there only for who asks, and asking clears it.
#include <cstdio>

__device__ int runs = 0;
__global__ void kernel() { if (threadIdx.x + threadIdx.y + threadIdx.z == 0) atomicAdd(&runs, 1); }

void report(const char* what) {
  const cudaError_t peeked = cudaPeekAtLastError();
  const cudaError_t last = cudaGetLastError();
  // Which of two names an empty or too large configuration gets depends on the version of CUDA.
  printf("%s: %s, peeked the same: %d, then %s\n", what,
         last == cudaErrorInvalidValue || last == cudaErrorInvalidConfiguration ? "refused" : cudaGetErrorName(last),
         peeked == last, cudaGetErrorName(cudaGetLastError()));
}

int main() {
  kernel<<<1, 1025>>>();
  report("1025 threads");
  kernel<<<1, dim3(32, 33)>>>();
  report("32 x 33 threads");
  kernel<<<1, dim3(1, 1, 65)>>>();
  report("65 threads in z");
  kernel<<<0, 32>>>();
  report("no blocks");
  kernel<<<1, 0>>>();
  report("no threads");
  kernel<<<dim3(1, 65536), 1>>>();
  report("65536 blocks in y");
  kernel<<<1, 32, 1 << 20>>>();
  report("1 MiB of shared memory");
  kernel<<<2, 1024>>>();
  report("right");
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  int n;
  cudaMemcpyFromSymbol(&n, runs, sizeof n);
  printf("%s, %s\n", cudaGetErrorName(cudaErrorInvalidConfiguration), cudaGetErrorString(cudaErrorMemoryAllocation));
  printf("%d blocks ran %s\n", n, n == 2 ? "PASSED" : "FAILED");
}
