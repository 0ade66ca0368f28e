// i * n_in / n_out is computed in int. From i = 42950 on the product is too large for an int, and the index becomes negative.
#include <cstdio>

__global__ void stretch(const float* in, int n_in, float* out, int n_out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n_out) out[i] = in[i * n_in / n_out];
}

int main() {
  int n_in = 50000, n_out = 60000;
  float *in, *out;
  cudaMalloc(&in, n_in * sizeof(float));
  cudaMalloc(&out, n_out * sizeof(float));
  cudaMemset(in, 0, n_in * sizeof(float));
  stretch<<<(n_out + 255) / 256, 256>>>(in, n_in, out, n_out);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  cudaFree(in);
  cudaFree(out);
  return error != cudaSuccess;
}
