// free() frees memory from malloc(), and cudaFree() frees memory from cudaMalloc().
#include <cstdio>
#include <cstdlib>

int main() {
  float* host = (float*)malloc(1024);
  float* device;
  cudaMalloc(&device, 1024);
  cudaMemset(device, 0, 1024);
  cudaMemcpy(host, device, 1024, cudaMemcpyDeviceToHost);
  free(host);
  cudaError_t error = cudaFree(device);
  printf("free: %s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
