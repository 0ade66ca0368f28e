// Sequential addressing with the first addition during the load; the length is no multiple of anything.
// Easily got wrong: the block covers 2 * blockDim.x elements, and both loads need their own bound.
#include <cstdio>

__global__ void sum(const float* in, float* out, int n) {
  extern __shared__ float s[];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x * 2 + t;
  float v = 0;
  if (i < n) v += in[i];
  if (i + blockDim.x < n) v += in[i + blockDim.x];
  s[t] = v;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half >>= 1) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

int main() {
  const int n = 12345, threads = 256;
  static float h[n];
  for (int i = 0; i < n; ++i) h[i] = float(i % 9);  // sums exactly
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
  int left = n;
  while (left > 1) {  // passes until one number is left
    const int blocks = (left + 2 * threads - 1) / (2 * threads);
    sum<<<blocks, threads, threads * sizeof(float)>>>(a, b, left);
    float* swap = a; a = b; b = swap;
    printf("%d -> %d\n", left, blocks);
    left = blocks;
  }
  float result, expected = 0;
  cudaMemcpy(&result, a, sizeof result, cudaMemcpyDeviceToHost);
  for (float v : h) expected += v;
  printf("%.1f %s\n", result, result == expected ? "PASSED" : "FAILED");
  cudaFree(a);
  cudaFree(b);
}
