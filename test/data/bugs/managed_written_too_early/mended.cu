// cudaDeviceSynchronize() waits for the kernel before the host writes.
#include <cstdio>

__global__ void add(const int* in, int* sum) { atomicAdd(sum, in[threadIdx.x]); }

int main() {
  int *in, *sum;
  cudaMallocManaged(&in, 64 * sizeof(int));
  cudaMallocManaged(&sum, sizeof(int));
  *sum = 0;
  for (int i = 0; i < 64; i++) in[i] = 1;
  add<<<1, 64>>>(in, sum);
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; i++) in[i] = 2;
  add<<<1, 64>>>(in, sum);
  cudaDeviceSynchronize();
  printf("sum %d\n", *sum);
  cudaFree(in);
  cudaFree(sum);
}
