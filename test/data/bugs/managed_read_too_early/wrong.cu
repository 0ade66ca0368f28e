// The host reads managed memory straight after the launch, while the kernel may still be running.
#include <cstdio>

__global__ void fill(int* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = i;
}

int main() {
  int n = 1000;
  int* data;
  cudaMallocManaged(&data, n * sizeof(int));
  fill<<<4, 256>>>(data, n);
  printf("last %d\n", data[n - 1]);
  cudaFree(data);
}
