// __threadfence() stands between the write of the data and the write of the flag.
#include <cstdio>

__device__ int ready = 0;

__global__ void hand_over(int* box, int* result) {
  if (blockIdx.x == 0) {
    *box = 42;
    __threadfence();
    atomicExch(&ready, 1);
  } else {
    while (atomicAdd(&ready, 0) == 0) {
    }
    __threadfence();
    *result = *box;
  }
}

int main() {
  int *box, *result;
  cudaMallocManaged(&box, sizeof(int));
  cudaMallocManaged(&result, sizeof(int));
  hand_over<<<2, 1>>>(box, result);
  cudaDeviceSynchronize();
  printf("%d\n", *result);
  cudaFree(box);
  cudaFree(result);
}
