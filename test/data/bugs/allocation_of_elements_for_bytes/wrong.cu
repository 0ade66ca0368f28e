// cudaMalloc() is given the number of elements instead of the number of bytes, so the copy does not fit into the memory.
#include <cstdio>

__global__ void twice(float* data) { data[threadIdx.x] *= 2; }

int main() {
  float host[256], *device;
  for (int i = 0; i < 256; i++) host[i] = i;
  cudaMalloc(&device, 256);
  cudaError_t error = cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  if (error != cudaSuccess) {
    printf("copy: %s\n", cudaGetErrorString(error));
    return 1;
  }
  twice<<<1, 256>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  printf("%g\n", host[1]);
  cudaFree(device);
}
