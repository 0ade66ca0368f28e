// The lock taken by a bare `while (atomicCAS(...))` in every lane of a warp: since Volta the holder goes on
// although its neighbours spin. Before Volta this hung.
#include <cstdio>

__device__ int lock = 0;
__device__ volatile int counter = 0;

__global__ void count() {
  while (atomicCAS(&lock, 0, 1) != 0) {}
  __threadfence();
  counter = counter + 1;
  __threadfence();
  atomicExch(&lock, 0);
}

int main() {
  count<<<2, 64>>>();
  int h = -1;
  cudaMemcpyFromSymbol(&h, counter, sizeof h);
  printf("%d %s\n", h, h == 128 ? "PASSED" : "FAILED");
}
