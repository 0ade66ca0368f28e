// A loop with a barrier inside, which each warp leaves for good after its own number of rounds.
// Easily got wrong: those that still loop wait only for those that have not exited.
#include <cstdio>

__global__ void rounds(int* out) {
  __shared__ int alive;
  const int t = threadIdx.x, warp = t / 32;
  if (t == 0) alive = 0;
  __syncthreads();
  for (int round = 0;; ++round) {
    if (round > warp) return;  // warp w runs w + 1 rounds
    atomicAdd(&alive, 1);
    __syncthreads();
    if (t % 32 == 0) out[round * 8 + warp] = alive;
    __syncthreads();
    if (t == 32 * 7) alive = 0;
    __syncthreads();
  }
}

int main() {
  int h[64], *d;
  cudaMalloc(&d, sizeof h);
  cudaMemset(d, 0, sizeof h);
  rounds<<<1, 256>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int round = 0; round < 8; ++round) {
    for (int w = 0; w < 8; ++w) {
      printf("%4d", h[round * 8 + w]);
      wrong += h[round * 8 + w] != (w >= round ? 32 * (8 - round) : 0);
    }
    puts("");
  }
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d);
}
