// The threads set the counters to zero, and a barrier makes all threads wait for that.
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
  cudaMallocManaged(&in, 64 * sizeof(int));
  cudaMallocManaged(&out, 16 * sizeof(int));
  for (int i = 0; i < 64; i++) in[i] = i % 16;
  histogram<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  printf("done\n");
  cudaFree(in);
  cudaFree(out);
}
