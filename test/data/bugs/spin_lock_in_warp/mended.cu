// No lane waits for other lanes while it holds the lock.
#include <cstdio>

__device__ int lock = 0;

__global__ void add(volatile int* total) {
  while (atomicCAS(&lock, 0, 1) != 0) {
  }
  __threadfence();
  *total = *total + 1;
  __threadfence();
  atomicExch(&lock, 0);
}

int main() {
  int* total;
  cudaMallocManaged(&total, sizeof(int));
  *total = 0;
  add<<<1, 32>>>(total);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s, total %d\n", cudaGetErrorString(error), *total);
  cudaFree(total);
  return error != cudaSuccess;
}
