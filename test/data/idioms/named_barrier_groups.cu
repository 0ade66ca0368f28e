// Each group of two warps synchronises by itself at a barrier of its own, any number of times.
// Easily got wrong: barrier 0 is that of __syncthreads(); a group must take another.
#include <cstdio>

__global__ void groups(int* out) {
  __shared__ int s[4][64];
  const int group = threadIdx.x / 64, t = threadIdx.x % 64;
  s[group][t] = t;
  for (int round = 0; round < 3 + group; ++round) {  // another count in each group
    asm volatile("bar.sync %0, 64;" ::"r"(group + 1) : "memory");
    const int next = s[group][(t + 33) % 64];
    asm volatile("bar.sync %0, 64;" ::"r"(group + 1) : "memory");
    s[group][t] = next + 1;
  }
  __syncthreads();
  out[threadIdx.x] = s[(group + 1) % 4][t];
}

int main() {
  int h[256], *d;
  cudaMalloc(&d, sizeof h);
  groups<<<1, 256>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < 256; ++i) {
    const int rounds = 3 + (i / 64 + 1) % 4;
    wrong += h[i] != (i % 64 + 33 * rounds) % 64 + rounds;
  }
  printf("%d %d %d %d\n", h[0], h[64], h[128], h[192]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d);
}
