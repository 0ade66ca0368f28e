// A barrier of the whole grid from an atomic counter, for 64 blocks that all fit on the device at once.
// Easily got wrong: fence before arriving, a counter that only grows (a generation), the block's own barriers.
#include <cstdio>

__device__ unsigned arrived = 0;

__device__ void grid_barrier(unsigned generation) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&arrived, 1);
    while (atomicAdd(&arrived, 0) < generation * gridDim.x) {}
    __threadfence();
  }
  __syncthreads();
}

// Each step every element becomes the sum of itself and the one `distance` blocks before it.
__global__ void rounds(int* a, int* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned generation = 0;
  for (int d = blockDim.x; d < n; d *= 2) {
    const volatile int* from = a;
    b[i] = from[i] + (i >= d ? from[i - d] : 0);
    grid_barrier(++generation);
    int* swap = a; a = b; b = swap;
  }
}

int main() {
  const int blocks = 64, threads = 64, n = blocks * threads;
  int *a, *b;
  cudaMallocManaged(&a, n * sizeof(int));
  cudaMallocManaged(&b, n * sizeof(int));
  for (int i = 0; i < n; ++i) a[i] = i % 10;
  rounds<<<blocks, threads>>>(a, b, n);  // six rounds: the result is in a
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    int sum = 0;
    for (int j = i; j >= 0; j -= threads) sum += j % 10;
    wrong += a[i] != sum;
  }
  printf("%d %d %d\n", a[0], a[1000], a[n - 1]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(a);
  cudaFree(b);
}
