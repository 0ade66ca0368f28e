// The same buffer is freed twice, and the other buffer is never freed.
#include <cstdio>

int main() {
  float *in, *out;
  cudaMalloc(&in, 1024);
  cudaMalloc(&out, 1024);
  cudaMemset(in, 0, 1024);
  cudaMemcpy(out, in, 1024, cudaMemcpyDeviceToDevice);
  cudaFree(in);
  cudaError_t error = cudaFree(in);
  printf("free: %s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
