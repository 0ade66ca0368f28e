// Constant memory is read and was never filled: cudaMemcpyToSymbol() is missing.
#include <cstdio>

__constant__ float weights[3];

__global__ void smooth(const float* in, float* out) {
  int i = threadIdx.x + 1;
  out[i] = weights[0] * in[i - 1] + weights[1] * in[i] + weights[2] * in[i + 1];
}

int main() {
  float *in, *out, host[3] = {0.25, 0.5, 0.25};
  cudaMallocManaged(&in, 66 * sizeof(float));
  cudaMallocManaged(&out, 66 * sizeof(float));
  for (int i = 0; i < 66; i++) in[i] = host[0] * i;
  smooth<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  printf("%g\n", out[1]);
  cudaFree(in);
  cudaFree(out);
}
