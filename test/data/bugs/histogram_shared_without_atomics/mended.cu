// atomicAdd() adds for one thread after the other.
#include <cstdio>

__global__ void histogram(const int* in, int* out) {
  __shared__ int bins[16];
  int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[in[t]], 1);
  __syncthreads();
  if (t < 16) out[t] = bins[t];
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 128 * sizeof(int));
  cudaMallocManaged(&out, 16 * sizeof(int));
  for (int i = 0; i < 128; i++) in[i] = i * 7 % 16;
  histogram<<<1, 128>>>(in, out);
  cudaDeviceSynchronize();
  printf("%d of value 0\n", out[0]);
  cudaFree(in);
  cudaFree(out);
}
