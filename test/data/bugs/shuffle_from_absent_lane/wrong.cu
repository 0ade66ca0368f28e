// The lower 16 lanes fetch values of the upper 16 by a shuffle that the upper 16 do not execute.
#include <cstdio>

__global__ void fold(const int* in, int* out) {
  int lane = threadIdx.x;
  int v = in[lane];
  if (lane < 16) {
    v += __shfl_down_sync(0x0000ffff, v, 16);
    out[lane] = v;
  }
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 32 * sizeof(int));
  cudaMallocManaged(&out, 16 * sizeof(int));
  for (int i = 0; i < 32; i++) in[i] = i;
  fold<<<1, 32>>>(in, out);
  cudaDeviceSynchronize();
  printf("done\n");
  cudaFree(in);
  cudaFree(out);
}
