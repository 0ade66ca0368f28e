// Producer and consumer warps with PTX's named barriers: bar.arrive goes on, bar.sync waits.
// Easily got wrong: the count is in threads and includes those that only arrive.
#include <cstdio>

__device__ void wait_at(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ void arrive_at(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

constexpr int ROUNDS = 10, HALF = 64;

__global__ void pipe(int* out) {
  __shared__ int buffer[2][HALF];
  const int t = threadIdx.x % HALF;
  if (threadIdx.x < HALF) {  // barriers 1 and 2: full; 3 and 4: empty
    for (int round = 0; round < ROUNDS; ++round) {
      const int b = round % 2;
      if (round >= 2) wait_at(3 + b, 2 * HALF);
      buffer[b][t] = round * 100 + t;
      __threadfence_block();
      arrive_at(1 + b, 2 * HALF);
    }
  } else {
    int sum = 0;
    for (int round = 0; round < ROUNDS; ++round) {
      const int b = round % 2;
      wait_at(1 + b, 2 * HALF);
      sum += buffer[b][HALF - 1 - t] * (round + 1);
      if (round + 2 < ROUNDS) arrive_at(3 + b, 2 * HALF);
    }
    out[t] = sum;
  }
}

int main() {
  int h[HALF], *d;
  cudaMalloc(&d, sizeof h);
  pipe<<<1, 2 * HALF>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int t = 0; t < HALF; ++t) {
    int sum = 0;
    for (int r = 0; r < ROUNDS; ++r) sum += (r * 100 + HALF - 1 - t) * (r + 1);
    wrong += h[t] != sum;
  }
  printf("%d %d %d\n", h[0], h[1], h[63]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d);
}
