// goto out of nested loops, && and || whose right side has an effect, ternaries nested, comma, early continue.
// Easily got wrong: the right side runs only for the lanes that need it.
#include <cstdio>

__host__ __device__ int mark(int* counter, int by) { *counter += by; return by; }

__host__ __device__ int work(int t) {
  int effects = 0, found = -1;
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      if (i * 8 + j == t) {
        found = i * 100 + j;
        goto out;
      }
      if (i == 5 && j == t % 8) goto next;
    }
    effects += 3;
  }
  found = 9999;
  goto out;
next:
  found = 5000 + t;
  effects += 7;
out:
  const bool a = t % 2 && mark(&effects, t % 3);
  const bool b = t % 5 == 0 || mark(&effects, 1000) == 1000;
  const bool c = (t % 4 && (t % 3 || mark(&effects, 20000))) || (a && mark(&effects, 0)) || b;
  const int d = t < 10 ? a ? 1 : 2 : t < 30 ? (b ? 3 : 4) : c ? 5 : 6;
  if (!a && !(effects & 1) && mark(&effects, 100000)) effects += d;
  return found * 7 + effects + d;
}

__global__ void run(int* out) {
  out[threadIdx.x] = work(threadIdx.x);
}

int main() {
  const int n = 96;
  int h[n], *d, wrong = 0;
  cudaMalloc(&d, sizeof h);
  run<<<1, n>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int t = 0; t < n; ++t) wrong += h[t] != work(t);
  printf("%d %d %d %d %d\n", h[0], h[7], h[41], h[63], h[95]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d);
}
