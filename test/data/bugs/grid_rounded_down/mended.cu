// The number of blocks is rounded up.
#include <cstdio>

__global__ void fill(int* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = 1;
}

__global__ void add(const int* data, int* sum, int n) {
  for (int i = 0; i < n; i++) *sum += data[i];
}

int main() {
  int n = 1000;
  int *data, *sum;
  cudaMalloc(&data, n * sizeof(int));
  cudaMallocManaged(&sum, sizeof(int));
  *sum = 0;
  fill<<<(n + 255) / 256, 256>>>(data, n);
  add<<<1, 1>>>(data, sum, n);
  cudaDeviceSynchronize();
  printf("done\n");
  cudaFree(data);
  cudaFree(sum);
}
