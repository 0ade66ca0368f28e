// A thread's own array is not zero at the start, so += adds to old data on the stack.
#include <cstdio>

__global__ void count(const int* in, int* out) {
  int seen[8];
  for (int i = 0; i < 16; i++) seen[in[threadIdx.x * 16 + i]] += 1;
  out[threadIdx.x] = seen[in[threadIdx.x]];
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 32 * 16 * sizeof(int));
  cudaMallocManaged(&out, 32 * sizeof(int));
  for (int i = 0; i < 32 * 16; i++) in[i] = i % 8;
  count<<<1, 32>>>(in, out);
  cudaDeviceSynchronize();
  printf("done\n");
  cudaFree(in);
  cudaFree(out);
}
