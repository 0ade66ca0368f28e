// The blocks are smaller, and there are more of them.
#include <cstdio>

__global__ void fill(float* m, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) m[row * n + col] = 1;
}

int main() {
  int n = 64;
  float* m;
  cudaMalloc(&m, n * n * sizeof(float));
  dim3 block(32, 16);
  fill<<<dim3((n + block.x - 1) / block.x, (n + block.y - 1) / block.y), block>>>(m, n);
  cudaError_t error = cudaGetLastError();
  printf("launch: %s\n", cudaGetErrorString(error));
  cudaDeviceSynchronize();
  cudaFree(m);
  return error != cudaSuccess;
}
