// The start is a multiple of four floats.
#include <cstdio>

__global__ void copy(const float* in, float* out) {
  int i = threadIdx.x;
  ((float4*)out)[i] = ((const float4*)in)[i];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 132 * sizeof(float));
  cudaMalloc(&out, 128 * sizeof(float));
  cudaMemset(in, 0, 132 * sizeof(float));
  copy<<<1, 32>>>(in + 4, out);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  cudaFree(in);
  cudaFree(out);
  return error != cudaSuccess;
}
