// The token again, but each lane does its work inside the loop that waits: right on every architecture.
// Easily got wrong: a compiler may move the work behind the loop, where a lockstep warp would wait for the others.
#include <cstdio>

__global__ void pass_on(int* out, volatile int* token, volatile int* value) {
  const int t = threadIdx.x;
  bool done = false;
  while (!done) {
    if (*token == t) {
      *value = (*value * 7 + t) % 10007;
      out[t] = *value;
      __threadfence();
      *token = t + 1;
      done = true;
    }
  }
}

int main() {
  const int n = 64;
  int h[n], *out, *token, *value;
  cudaMalloc(&out, sizeof h);
  cudaMalloc(&token, sizeof(int));
  cudaMalloc(&value, sizeof(int));
  cudaMemset(token, 0, sizeof(int));
  cudaMemset(value, 0, sizeof(int));
  pass_on<<<1, n>>>(out, token, value);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  int v = 0, wrong = 0;
  for (int t = 0; t < n; ++t) {
    v = (v * 7 + t) % 10007;
    wrong += h[t] != v;
  }
  printf("%d %d %d\n", h[1], h[32], h[63]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(out);
  cudaFree(token);
  cudaFree(value);
}
