// A kernel with an `extern __shared__` array is launched without the size of the array.
#include <cstdio>

__global__ void reverse(float* data) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  s[t] = data[t];
  __syncthreads();
  data[t] = s[blockDim.x - 1 - t];
}

int main() {
  int n = 128;
  float* data;
  cudaMalloc(&data, n * sizeof(float));
  cudaMemset(data, 0, n * sizeof(float));
  reverse<<<1, n>>>(data);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  cudaFree(data);
  return error != cudaSuccess;
}
