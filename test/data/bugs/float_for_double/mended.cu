// The memory has room for n doubles.
#include <cstdio>

__global__ void fill(double* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = i;
}

int main() {
  int n = 200;
  double* data;
  cudaMalloc((void**)&data, n * sizeof(double));
  fill<<<1, 256>>>(data, n);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  cudaFree(data);
  return error != cudaSuccess;
}
