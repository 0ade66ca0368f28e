// The buffer is freed after the kernel has ended.
#include <cstdio>

__global__ void add(const int* a, int* b) { b[threadIdx.x] += a[threadIdx.x]; }

int main() {
  int *a, *b;
  cudaMalloc(&a, 64 * sizeof(int));
  cudaMalloc(&b, 64 * sizeof(int));
  cudaMemset(a, 0, 64 * sizeof(int));
  cudaMemset(b, 0, 64 * sizeof(int));
  add<<<1, 64>>>(a, b);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  cudaFree(a);
  cudaFree(b);
  return error != cudaSuccess;
}
