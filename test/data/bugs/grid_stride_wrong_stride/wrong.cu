// A grid-stride loop steps by the size of the block instead of the grid, so several blocks process the same elements.
#include <cstdio>

__global__ void twice(int* data, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) {
    data[i] *= 2;
  }
}

int main() {
  int n = 1000;
  int* data;
  cudaMallocManaged(&data, n * sizeof(int));
  for (int i = 0; i < n; i++) data[i] = 1;
  twice<<<4, 64>>>(data, n);
  cudaDeviceSynchronize();
  printf("%d\n", data[0]);
  cudaFree(data);
}
