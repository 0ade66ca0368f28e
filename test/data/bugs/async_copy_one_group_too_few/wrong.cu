// Two tiles are on their way. The wait for the first one allows two unfinished groups, but should allow one.
#include <cstdio>
#include <cuda_pipeline.h>

__global__ void add(const float* in, float* out, int tiles) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  float sum = 0;
  __pipeline_memcpy_async(&s[0][t], &in[t], sizeof(float));
  __pipeline_commit();
  for (int i = 0; i < tiles; i++) {
    int next = i + 1;
    if (next < tiles) __pipeline_memcpy_async(&s[next % 2][t], &in[next * 64 + t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(2);
    sum += s[i % 2][t];
  }
  out[t] = sum;
}

int main() {
  float *in, *out;
  cudaMallocManaged(&in, 4 * 64 * sizeof(float));
  cudaMallocManaged(&out, 64 * sizeof(float));
  for (int i = 0; i < 4 * 64; i++) in[i] = i;
  add<<<1, 64>>>(in, out, 4);
  cudaDeviceSynchronize();
  printf("done\n");
  cudaFree(in);
  cudaFree(out);
}
