// Each thread waits for its own asynchronous copies only, and then reads data that another thread copies.
#include <cstdio>
#include <cuda_pipeline.h>

__global__ void reverse(const float* in, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[t], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = s[63 - t];
}

int main() {
  float *in, *out;
  cudaMallocManaged(&in, 64 * sizeof(float));
  cudaMallocManaged(&out, 64 * sizeof(float));
  for (int i = 0; i < 64; i++) in[i] = i;
  reverse<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  printf("done\n");
  cudaFree(in);
  cudaFree(out);
}
