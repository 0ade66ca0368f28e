// Each turn of the loop frees its own allocation.
#include <cstdio>

__global__ void fill(int* data) { data[threadIdx.x] = threadIdx.x; }

int main() {
  int* data;
  for (int step = 0; step < 10; step++) {
    cudaMalloc(&data, 256 * sizeof(int));
    fill<<<1, 256>>>(data);
    cudaFree(data);
  }
  printf("done\n");
}
