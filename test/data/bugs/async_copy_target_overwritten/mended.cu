// The thread sets the target to zero before it starts the copy.
#include <cstdio>
#include <cuda_pipeline.h>

__global__ void twice(const float* in, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = 0;
  __pipeline_memcpy_async(&s[t], &in[t], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = 2 * s[t];
}

int main() {
  float *in, *out;
  cudaMallocManaged(&in, 64 * sizeof(float));
  cudaMallocManaged(&out, 64 * sizeof(float));
  for (int i = 0; i < 64; i++) in[i] = i;
  twice<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  printf("done\n");
  cudaFree(in);
  cudaFree(out);
}
