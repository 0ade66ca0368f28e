// __managed__ variables: the same name on host and device, without a copy.
// Easily got wrong: as with all managed memory, synchronise before the host reads.
#include <cstdio>

__managed__ int counter = 5;
__managed__ float values[100];

__global__ void work() {
  values[threadIdx.x] = values[threadIdx.x] * 2 + 1;
  atomicAdd(&counter, int(threadIdx.x));
}

int main() {
  for (int i = 0; i < 100; ++i) values[i] = float(i);
  work<<<1, 100>>>();
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < 100; ++i) wrong += values[i] != 2 * i + 1;
  printf("%d %g %g\n", counter, values[0], values[99]);
  puts(wrong || counter != 5 + 4950 ? "FAILED" : "PASSED");
}
