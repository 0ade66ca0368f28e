// The condition is `j < 64`, because the last index is 63.
#include <cstdio>

__global__ void sums(const int* in, int* out) {
  __shared__ int a[64], b[64];
  int t = threadIdx.x;
  a[t] = in[t];
  b[t] = in[64 + t];
  __syncthreads();
  int sum = b[t];
  for (int j = t; j < 64; j++) sum += a[j];
  out[t] = sum;
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 128 * sizeof(int));
  cudaMallocManaged(&out, 64 * sizeof(int));
  for (int i = 0; i < 128; i++) in[i] = i;
  sums<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  printf("%d\n", out[63]);
  cudaFree(in);
  cudaFree(out);
}
