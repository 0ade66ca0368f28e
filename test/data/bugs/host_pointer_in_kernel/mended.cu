// The program uses managed memory, which host and GPU can reach.
#include <cstdio>
#include <cstdlib>

__global__ void twice(int* data) { data[threadIdx.x] *= 2; }

int main() {
  int* data;
  cudaMallocManaged(&data, 64 * sizeof(int));
  for (int i = 0; i < 64; i++) data[i] = i;
  twice<<<1, 64>>>(data);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  cudaFree(data);
  return error != cudaSuccess;
}
