// The size is in bytes: the number of elements times the size of an element.
#include <cstdio>
#include <cstdlib>

__global__ void twice(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 2;
}

int main() {
  int n = 512;
  float* host = (float*)malloc(n * sizeof(float));
  for (int i = 0; i < n; i++) host[i] = i;
  float* device;
  cudaMalloc(&device, n * sizeof(float));
  cudaMemcpy(device, host, n * sizeof(float), cudaMemcpyHostToDevice);
  twice<<<2, 256>>>(device, n);
  cudaMemcpy(host, device, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g\n", host[1]);
  cudaFree(device);
  free(host);
}
