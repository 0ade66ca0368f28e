// The launch fails, and the program does not check its return code. So the array keeps its old contents.
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
  fill<<<n / 2048, 2048>>>(data, n);
  cudaDeviceSynchronize();
  printf("data[0] = %d\n", data[0]);
  cudaFree(data);
}
