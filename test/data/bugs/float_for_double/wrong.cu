// Room for n floats is given to a kernel that takes doubles: a cast hides that it is half of what is needed.
#include <cstdio>

__global__ void fill(double* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = i;
}

int main() {
  int n = 200;
  double* data;
  cudaMalloc((void**)&data, n * sizeof(float));
  fill<<<1, 256>>>(data, n);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  cudaFree(data);
  return error != cudaSuccess;
}
