// A program must request more than 48 KiB of dynamic shared memory before the launch, and this program does not.
#include <cstdio>

__global__ void reverse(float* data, int n) {
  extern __shared__ float s[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = data[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = s[n - 1 - i];
}

int main() {
  int n = 16384, bytes = n * sizeof(float);
  float* data;
  cudaMalloc(&data, bytes);
  cudaMemset(data, 0, bytes);
  reverse<<<1, 256, bytes>>>(data, n);
  cudaError_t error = cudaGetLastError();
  printf("launch: %s\n", cudaGetErrorString(error));
  cudaDeviceSynchronize();
  cudaFree(data);
  return error != cudaSuccess;
}
