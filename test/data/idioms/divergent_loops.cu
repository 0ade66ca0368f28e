// Loops with per-lane trip counts: Collatz, break and continue by lane, nested loops, do-while.
// Easily got wrong: a lane that has left a loop must be there again behind it.
#include <cstdio>

__host__ __device__ int work(int t) {
  int steps = 0;
  for (unsigned v = t + 1; v != 1; ++steps) v = v % 2 ? 3 * v + 1 : v / 2;
  int sum = 0;
  for (int i = 0; i < 20; ++i) {
    if (i % (t % 5 + 2) == 0) continue;
    if (i * i > t * 3) break;
    for (int j = i; j < t % 11; ++j) {
      if ((i + j) % 7 == t % 7) break;
      sum += i * j + 1;
    }
    sum *= 2;
    sum %= 100003;
  }
  int digits = 0, v = t * t * t;
  do {
    ++digits;
    v /= 10;
  } while (v);
  int k = t;
  while (true) {
    k = k * 5 % 37 + 1;
    if (k < 6 || sum++ > 2000) break;
    if (k % 3 == 0) continue;
    sum += k;
  }
  return steps * 1000000 + (sum % 10000) * 100 + digits;
}

__global__ void run(int* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = work(t);
  out[t] = v + __shfl_xor_sync(0xffffffff, v % 10, 1);  // all are together again
}

int main() {
  const int n = 256;
  int h[n], *d, wrong = 0;
  cudaMalloc(&d, sizeof h);
  run<<<2, 128>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int t = 0; t < n; ++t) wrong += h[t] != work(t) + work(t ^ 1) % 10;
  printf("%d %d %d %d\n", h[0], h[26], h[96], h[255]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d);
}
