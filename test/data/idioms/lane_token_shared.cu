// Lanes of one warp hand a token from one to the next through volatile shared memory.
// Legal since Volta, where each lane makes progress of its own; a lockstep warp would spin for ever.
#include <cstdio>

__global__ void pass_on(int* out) {
  __shared__ volatile int token;
  __shared__ volatile int value;
  const int lane = threadIdx.x;
  if (lane == 0) {
    token = 0;
    value = 1;
  }
  __syncwarp();
  while (token != lane) {}
  value = (value * 3 + lane) % 10007;
  out[lane] = value;
  __threadfence_block();
  token = lane + 1;
}

int main() {
  int h[32], *d;
  cudaMalloc(&d, sizeof h);
  pass_on<<<1, 32>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  int value = 1, wrong = 0;
  for (int lane = 0; lane < 32; ++lane) {
    value = (value * 3 + lane) % 10007;
    wrong += h[lane] != value;
  }
  printf("%d %d %d\n", h[0], h[16], h[31]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d);
}
