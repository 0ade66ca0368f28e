// The lower 16 lanes add up with __shfl_down_sync(), and some read from lanes that take no part.
#include <cstdio>

__global__ void sum(const int* in, int* out) {
  int lane = threadIdx.x;
  if (lane < 16) {
    int v = in[lane];
    for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(0x0000ffff, v, d);
    if (lane == 0) *out = v;
  }
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 32 * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < 32; i++) in[i] = i;
  sum<<<1, 32>>>(in, out);
  cudaDeviceSynchronize();
  printf("sum %d\n", *out);
  cudaFree(in);
  cudaFree(out);
}
