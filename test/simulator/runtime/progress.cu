// A launch that lasts until its program reads a line. It prints before the line comes, if asked.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <thread>

__global__ void waits(volatile int* may_end, int* turns, bool prints) {
  if (prints) printf("from the device\n");
  while (*may_end == 0) atomicAdd(turns, 1);
}

int main(int count, char** arguments) {
  const bool prints = count > 1 && std::strcmp(arguments[1], "prints") == 0;
  int* may_end = nullptr;
  int* turns = nullptr;
  cudaHostAlloc(&may_end, sizeof(int), cudaHostAllocMapped);
  cudaMalloc(&turns, sizeof(int));
  *may_end = 0;
  std::thread reader([&] {
    std::getchar();
    *static_cast<volatile int*>(may_end) = 1;
  });
  std::printf("waits ... ");
  std::fflush(stdout);
  waits<<<1, 1>>>(may_end, turns, prints);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(error));
  reader.join();
}
