// atomicAdd() adds for one thread after the other.
#include <cstdio>

__global__ void histogram(const int* in, int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[in[i]], 1);
}

int main() {
  int n = 1000;
  int *in, *bins;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&bins, 1000 * sizeof(int));
  for (int i = 0; i < n; i++) in[i] = i % 200;
  cudaMemset(bins, 0, 1000 * sizeof(int));
  histogram<<<4, 256>>>(in, bins, n);
  cudaDeviceSynchronize();
  printf("%d of value 999\n", bins[999]);
  cudaFree(in);
  cudaFree(bins);
}
