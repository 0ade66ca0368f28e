// Odd-even transposition sort in one block; it ends when a vote says that nobody swapped in two rounds.
// Easily got wrong: both parities must have been quiet, and the vote is a barrier for all.
#include <cstdio>

__global__ void sort(short* data, int n, int* rounds) {
  extern __shared__ short s[];
  const int t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x) s[i] = data[i];
  __syncthreads();
  int round = 0;
  for (bool quiet = false; !quiet;) {
    int swapped = 0;
    for (int parity = 0; parity < 2; ++parity) {
      const int i = 2 * t + parity;
      if (i + 1 < n && s[i] > s[i + 1]) {
        const short v = s[i];
        s[i] = s[i + 1];
        s[i + 1] = v;
        swapped = 1;
      }
      __syncthreads();
    }
    ++round;
    quiet = !__syncthreads_or(swapped);
  }
  for (int i = t; i < n; i += blockDim.x) data[i] = s[i];
  if (t == 0) *rounds = round;
}

int main() {
  const int n = 301;
  short h[n], *d;
  int rounds, *d_rounds, wrong = 0;
  for (int i = 0; i < n; ++i) h[i] = short(i * 173 % n - 150);
  cudaMalloc(&d, sizeof h);
  cudaMalloc(&d_rounds, sizeof rounds);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  sort<<<1, (n + 1) / 2, sizeof h>>>(d, n, d_rounds);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  cudaMemcpy(&rounds, d_rounds, sizeof rounds, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) wrong += h[i] != i - 150;
  printf("%d rounds, %d %d %s\n", rounds, h[0], h[n - 1], wrong ? "FAILED" : "PASSED");
  cudaFree(d);
  cudaFree(d_rounds);
}
