// The program frees each buffer once.
#include <cstdio>

int main() {
  float *in, *out;
  cudaMalloc(&in, 1024);
  cudaMalloc(&out, 1024);
  cudaMemset(in, 0, 1024);
  cudaMemcpy(out, in, 1024, cudaMemcpyDeviceToDevice);
  cudaFree(in);
  cudaError_t error = cudaFree(out);
  printf("free: %s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
