// Each block waits for a flag of the block with the next higher number; the last one starts the chain.
// Legal while all blocks are on the device together (16 small blocks); a software GPU may not run them in turn.
#include <cstdio>

__global__ void chain(volatile int* flag, int* order) {
  if (threadIdx.x == 0) {
    const int b = blockIdx.x;
    int value = 1;
    if (b + 1 < gridDim.x) {
      while (flag[b + 1] == 0) {}
      __threadfence();
      value = flag[b + 1] * 3 % 1009;
    }
    order[b] = value;
    __threadfence();
    flag[b] = value;
  }
  __syncthreads();
}

int main() {
  const int blocks = 16;
  int h[blocks], *flag, *order;
  cudaMalloc(&flag, sizeof h);
  cudaMalloc(&order, sizeof h);
  cudaMemset(flag, 0, sizeof h);
  chain<<<blocks, 64>>>(flag, order);
  cudaMemcpy(h, order, sizeof h, cudaMemcpyDeviceToHost);
  int expected = 1, wrong = 0;
  for (int b = blocks - 1; b >= 0; --b, expected = expected * 3 % 1009) wrong += h[b] != expected;
  for (int v : h) printf("%d ", v);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(flag);
  cudaFree(order);
}
