// The number of blocks is rounded up.
#include <cstdio>

__global__ void fill(int* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = 1;
}

int main() {
  int n = 100;
  int* data;
  cudaMalloc(&data, n * sizeof(int));
  fill<<<(n + 255) / 256, 256>>>(data, n);
  cudaError_t error = cudaGetLastError();
  printf("launch: %s\n", cudaGetErrorString(error));
  cudaDeviceSynchronize();
  cudaFree(data);
  return error != cudaSuccess;
}
