// Lanes call __syncwarp() with a mask that does not name these lanes.
#include <cstdio>

__global__ void swap(int* data) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = data[t];
  __syncwarp(0x0000ffff);
  data[t] = s[t ^ 1];
}

int main() {
  int* data;
  cudaMallocManaged(&data, 32 * sizeof(int));
  for (int i = 0; i < 32; i++) data[i] = i;
  swap<<<1, 32>>>(data);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  cudaFree(data);
  return error != cudaSuccess;
}
