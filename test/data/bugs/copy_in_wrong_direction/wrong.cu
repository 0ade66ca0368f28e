// cudaMemcpy() gets a target on the device and a source on the host, but a direction from device to host.
#include <cstdio>

__global__ void twice(float* data) { data[threadIdx.x] *= 2; }

int main() {
  float host[256], *device;
  for (int i = 0; i < 256; i++) host[i] = i;
  cudaMalloc(&device, sizeof host);
  cudaError_t error = cudaMemcpy(device, host, sizeof host, cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) {
    printf("copy: %s\n", cudaGetErrorString(error));
    return 1;
  }
  twice<<<1, 256>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  printf("%g\n", host[1]);
  cudaFree(device);
}
