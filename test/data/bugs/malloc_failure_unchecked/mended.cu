// The size fits into the GPU's memory, and the program checks cudaMalloc()'s return code.
#include <cstdio>

__global__ void fill(float* data) { data[threadIdx.x] = 1; }

int main() {
  size_t bytes = 1ull << 10;
  float* data = NULL;
  if (cudaMalloc(&data, bytes) != cudaSuccess) return 1;
  fill<<<1, 64>>>(data);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  cudaFree(data);
  return error != cudaSuccess;
}
