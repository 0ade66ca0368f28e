// These threads store a zero first. (They may return before the barrier: it waits only for the threads that remain.)
#include <cstdio>

__global__ void sum(const int* in, int* out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 0;
  if (t >= n) return;
  s[t] = in[t];
  __syncthreads();
  if (t == 0) {
    int total = 0;
    for (int i = 0; i < 64; i++) total += s[i];
    *out = total;
  }
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 48 * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < 48; i++) in[i] = i;
  sum<<<1, 64>>>(in, out, 48);
  cudaDeviceSynchronize();
  printf("done\n");
  cudaFree(in);
  cudaFree(out);
}
