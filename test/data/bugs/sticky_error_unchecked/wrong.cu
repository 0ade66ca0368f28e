// A kernel fails, and the program does not notice. Every later call fails too, so the copy brings no data.
#include <cstdio>

__global__ void square(int* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i * i;
}

int main() {
  int n = 100, *data, result[100] = {0};
  cudaMalloc(&data, n * sizeof(int));
  square<<<1, 128>>>(data, n);
  cudaMemcpy(result, data, sizeof result, cudaMemcpyDeviceToHost);
  printf("9 squared is %d\n", result[9]);
  cudaFree(data);
}
