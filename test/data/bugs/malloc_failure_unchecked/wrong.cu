// cudaMalloc() fails, the program does not check its return code, and the kernel is given a null pointer.
#include <cstdio>

__global__ void fill(float* data) { data[threadIdx.x] = 1; }

int main() {
  size_t bytes = 1ull << 50;
  float* data = NULL;
  cudaMalloc(&data, bytes);
  fill<<<1, 64>>>(data);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  cudaFree(data);
  return error != cudaSuccess;
}
