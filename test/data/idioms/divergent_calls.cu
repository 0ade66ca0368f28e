// Lanes of one warp in different functions, at different depths, that return at different places; then a vote.
// Easily got wrong: after it all the whole warp is expected at __syncwarp and at the vote.
#include <cstdio>

__noinline__ __device__ int one(int t) {
  if (t % 7 == 0) return 7;
  for (int i = 0; i < t; ++i) if (i * i > t) return i;
  return -t;
}
__noinline__ __device__ int two(int t, int* trace) {
  int v = one(t / 2);
  if (v > 3) {
    atomicAdd(trace, 1);
    return v + one(t + 1);
  }
  return v - 1;
}
__noinline__ __device__ int three(int t, int* trace) {
  if (t % 3 == 0) return two(t, trace) * 2;
  if (t % 3 == 1) return one(t) * 3;
  int v = 0;
  for (int i = 0; i < t % 5; ++i) v += two(t + i, trace);
  return v;
}

__global__ void run(int* out, int* trace, unsigned* even) {
  const int t = threadIdx.x;
  const int v = t & 1 ? three(t, trace) : two(t * 3, trace);
  __syncwarp();
  const unsigned bits = __ballot_sync(0xffffffff, v % 2 == 0);
  out[t] = v;
  if (t % 32 == 0) even[t / 32] = bits;
}

int main() {
  const int n = 128;
  int h[n], *d, *trace, traced;
  unsigned *even, bits[4];
  cudaMalloc(&d, sizeof h);
  cudaMalloc(&trace, sizeof traced);
  cudaMalloc(&even, sizeof bits);
  cudaMemset(trace, 0, sizeof traced);
  run<<<1, n>>>(d, trace, even);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  cudaMemcpy(&traced, trace, sizeof traced, cudaMemcpyDeviceToHost);
  cudaMemcpy(bits, even, sizeof bits, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int t = 0; t < n; ++t) {
    printf("%d%c", h[t], t % 32 == 31 ? '\n' : ' ');
    wrong += (bits[t / 32] >> t % 32 & 1) != (h[t] % 2 == 0);
  }
  printf("%d traced %s\n", traced, wrong ? "FAILED" : "PASSED");
  cudaFree(d);
  cudaFree(trace);
  cudaFree(even);
}
