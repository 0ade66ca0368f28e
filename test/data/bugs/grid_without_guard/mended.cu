// `if (i < n)` leaves out the threads without an element.
#include <cstdio>

__global__ void fill(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = 1;
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
