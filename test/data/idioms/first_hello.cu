// Hello from the GPU: printf from one warp's threads, in their order, after the host waited for them.
// Easily got wrong: without cudaDeviceSynchronize() the program may end before anything is printed.
#include <stdio.h>

__global__ void hello() { printf("Hello from thread %d of block %d!\n", threadIdx.x, blockIdx.x); }

int main(void) {
  hello<<<1, 5>>>();
  cudaDeviceSynchronize();
  printf("Goodbye from the host!\n");
  return 0;
}
