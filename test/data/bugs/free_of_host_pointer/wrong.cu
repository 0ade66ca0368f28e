// cudaFree() is given memory that comes from malloc().
#include <cstdio>
#include <cstdlib>

int main() {
  float* host = (float*)malloc(1024);
  float* device;
  cudaMalloc(&device, 1024);
  cudaMemset(device, 0, 1024);
  cudaMemcpy(host, device, 1024, cudaMemcpyDeviceToHost);
  cudaError_t error = cudaFree(host);
  printf("free: %s\n", cudaGetErrorString(error));
  cudaFree(device);
  return error != cudaSuccess;
}
