// The blocks are small enough, and the program checks cudaGetLastError() after the launch.
#include <cstdio>

__global__ void fill(int* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = 1;
}

int main() {
  int n = 4096;
  int* data;
  cudaMallocManaged(&data, n * sizeof(int));
  for (int i = 0; i < n; i++) data[i] = 0;
  fill<<<n / 256, 256>>>(data, n);
  if (cudaGetLastError() != cudaSuccess) return 1;
  cudaDeviceSynchronize();
  printf("data[0] = %d\n", data[0]);
  cudaFree(data);
}
