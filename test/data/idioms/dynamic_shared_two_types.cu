// Two kernels of one file, each with an extern shared array of its own type and name; static arrays beside one.
// Easily got wrong: every extern shared array of a kernel begins at the same address, after the static ones.
#include <cstdio>

__global__ void of_floats(float* out) {
  extern __shared__ float floats[];
  __shared__ int offset[4];
  if (threadIdx.x < 4) offset[threadIdx.x] = threadIdx.x * 100;
  floats[threadIdx.x] = threadIdx.x * 0.5f;
  __syncthreads();
  out[threadIdx.x] = floats[blockDim.x - 1 - threadIdx.x] + offset[threadIdx.x % 4];
}
__global__ void of_shorts(short* out) {
  extern __shared__ short shorts[];
  extern __shared__ short again[];  // the same memory
  shorts[threadIdx.x] = short(-threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = again[blockDim.x - 1 - threadIdx.x];
}

int main() {
  const int n = 130;
  float* f;
  short* s;
  cudaMallocManaged(&f, n * sizeof *f);
  cudaMallocManaged(&s, n * sizeof *s);
  of_floats<<<1, n, n * sizeof *f>>>(f);
  of_shorts<<<1, n, n * sizeof *s>>>(s);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int t = 0; t < n; ++t) wrong += f[t] != (n - 1 - t) * 0.5f + t % 4 * 100 || s[t] != t - n + 1;
  printf("%g %d %s\n", f[3], s[0], wrong ? "FAILED" : "PASSED");
  cudaFree(f);
  cudaFree(s);
}
