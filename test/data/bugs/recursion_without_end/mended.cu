// The recursion ends at every n that is not above 0.
#include <cstdio>

__device__ float sum(const float* x, int n) {
  if (n <= 0) return 0;
  return sum(x, n - 2) + x[n - 1];
}

__global__ void sums(const float* x, float* out) { out[threadIdx.x] = sum(x, threadIdx.x); }

int main() {
  float *x, *out;
  cudaMallocManaged(&x, 32 * sizeof(float));
  cudaMallocManaged(&out, 32 * sizeof(float));
  for (int i = 0; i < 32; i++) x[i] = 1;
  sums<<<1, 32>>>(x, out);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  cudaFree(x);
  cudaFree(out);
  return error != cudaSuccess;
}
