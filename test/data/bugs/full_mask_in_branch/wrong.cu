// The mask of a shuffle names all 32 lanes, but only the lanes with an element execute it.
#include <cstdio>

__global__ void sum(const int* in, int* out, int n) {
  int lane = threadIdx.x, v = 0;
  if (lane < n) {
    v = in[lane];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  }
  if (lane == 0) *out = v;
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 20 * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < 20; i++) in[i] = i;
  sum<<<1, 32>>>(in, out, 20);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  cudaFree(in);
  cudaFree(out);
  return error != cudaSuccess;
}
