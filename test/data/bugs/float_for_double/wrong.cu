// A kernel that takes doubles is given memory for n floats. A cast hides that this is half of the bytes that it needs.
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
