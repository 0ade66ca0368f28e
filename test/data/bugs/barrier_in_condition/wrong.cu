// __syncthreads() is inside `if (t < half)`: some threads of a warp wait there for other threads that never come.
#include <cstdio>

__global__ void sum(const int* in, int* out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) {
      s[t] += s[t + half];
      __syncthreads();
    }
  }
  if (t == 0) *out = s[0];
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 128 * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < 128; i++) in[i] = i;
  sum<<<1, 128>>>(in, out);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  cudaFree(in);
  cudaFree(out);
  return error != cudaSuccess;
}
