// The classic last warp of a reduction: volatile shared memory, today with __syncwarp() between steps.
// Easily got wrong: each step reads, all lanes meet, then it writes; without that lanes may overtake.
#include <cstdio>

__device__ void last_warp(volatile int* s, int t) {
  int v = s[t];
  v += s[t + 32]; __syncwarp(); s[t] = v; __syncwarp();
  v += s[t + 16]; __syncwarp(); s[t] = v; __syncwarp();
  v += s[t + 8];  __syncwarp(); s[t] = v; __syncwarp();
  v += s[t + 4];  __syncwarp(); s[t] = v; __syncwarp();
  v += s[t + 2];  __syncwarp(); s[t] = v; __syncwarp();
  v += s[t + 1];  __syncwarp(); s[t] = v;
}

__global__ void sum(const int* in, int* out, int n) {
  __shared__ int s[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int half = 128; half > 32; half >>= 1) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t < 32) last_warp(s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}

int main() {
  const int n = 4000, blocks = (n + 255) / 256;
  int in[n], out[blocks], *d_in, *d_out;
  for (int i = 0; i < n; ++i) in[i] = i ^ 5;
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, sizeof out);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  sum<<<blocks, 256>>>(d_in, d_out, n);
  cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int b = 0; b < blocks; ++b) {
    int expected = 0;
    for (int i = b * 256; i < b * 256 + 256 && i < n; ++i) expected += in[i];
    wrong += out[b] != expected;
  }
  printf("%d %d\n", out[0], out[blocks - 1]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d_in);
  cudaFree(d_out);
}
