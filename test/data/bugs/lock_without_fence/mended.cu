// __threadfence() stands before the release of the lock.
#include <cstdio>

__device__ int lock = 0;

__global__ void add(int* total) {
  if (threadIdx.x == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence();
    *total += blockIdx.x;
    __threadfence();
    atomicExch(&lock, 0);
  }
}

int main() {
  int* total;
  cudaMallocManaged(&total, sizeof(int));
  *total = 0;
  add<<<8, 32>>>(total);
  cudaDeviceSynchronize();
  printf("total %d\n", *total);
  cudaFree(total);
}
