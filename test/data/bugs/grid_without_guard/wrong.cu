// The grid is rounded up to whole blocks, and no `if` keeps the last threads away from elements after the end.
#include <cstdio>

__global__ void fill(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = 1;
}

int main() {
  int n = 1000;
  float* data;
  cudaMalloc(&data, n * sizeof(float));
  fill<<<(n + 255) / 256, 256>>>(data, n);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  cudaFree(data);
  return error != cudaSuccess;
}
