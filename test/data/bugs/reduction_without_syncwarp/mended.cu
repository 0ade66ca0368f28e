// __syncwarp() stands before each step, so the lanes see the values that other lanes wrote.
#include <cstdio>

__global__ void sum(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) {
    for (int half = 32; half > 0; half /= 2) {
      if (t < half) s[t] += s[t + half];
      __syncwarp();
    }
  }
  if (t == 0) *out = s[0];
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 64 * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < 64; i++) in[i] = i;
  sum<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  printf("sum %d\n", *out);
  cudaFree(in);
  cudaFree(out);
}
