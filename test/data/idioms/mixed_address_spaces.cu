// One generic pointer whose lanes point partly to shared, partly to global, partly to local memory.
// Easily got wrong: a generic access must ask each lane's address where it belongs.
#include <cstdio>

__constant__ int fixed[32] = {5, 6, 7, 8};

__global__ void pick(const int* g, int* o, int* written) {
  __shared__ int s[32];
  int local[32];
  const int t = threadIdx.x;
  s[t] = 100 + t;
  for (int i = 0; i < 32; ++i) local[i] = 10000 + i * t;
  __syncthreads();
  const int* p = t < 16 ? s + t : g + t;
  o[t] = *p;
  const int* q = t % 4 == 0 ? local + t % 32 : t % 4 == 1 ? s + 31 - t : t % 4 == 2 ? g + 31 - t : fixed + t % 4;
  o[32 + t] = *q;
  __syncthreads();
  int* w = t % 2 ? s + t : written + t;
  *w = -t;
  atomicAdd(t % 2 ? &s[t] : &written[t], 1000);
  __syncthreads();
  o[64 + t] = t % 2 ? s[t] : written[t];
}

int main() {
  int g[32], h[96], *d_g, *d_o, *d_w, wrong = 0;
  for (int i = 0; i < 32; ++i) g[i] = 1000 + i;
  cudaMalloc(&d_g, sizeof g);
  cudaMalloc(&d_o, sizeof h);
  cudaMalloc(&d_w, sizeof g);
  cudaMemcpy(d_g, g, sizeof g, cudaMemcpyHostToDevice);
  pick<<<1, 32>>>(d_g, d_o, d_w);
  cudaMemcpy(h, d_o, sizeof h, cudaMemcpyDeviceToHost);
  for (int t = 0; t < 32; ++t) {
    const int expected[4] = {10000 + t * t, 131 - t, 1031 - t, 8};
    wrong += h[t] != (t < 16 ? 100 : 1000) + t || h[32 + t] != expected[t % 4] || h[64 + t] != 1000 - t;
  }
  printf("%d %d | %d %d %d %d | %d\n", h[15], h[16], h[36], h[37], h[38], h[39], h[95]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d_g);
  cudaFree(d_o);
  cudaFree(d_w);
}
