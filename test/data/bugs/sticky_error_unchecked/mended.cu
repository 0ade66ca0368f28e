// The kernel has a guard, and the program checks the return code of the wait.
#include <cstdio>

__global__ void square(int* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = i * i;
}

int main() {
  int n = 100, *data, result[100] = {0};
  cudaMalloc(&data, n * sizeof(int));
  square<<<1, 128>>>(data, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaMemcpy(result, data, sizeof result, cudaMemcpyDeviceToHost);
  printf("9 squared is %d\n", result[9]);
  cudaFree(data);
}
