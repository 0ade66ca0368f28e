// The token travels backwards, from lane 31 of the last warp down to lane 0, through global memory.
// Easily got wrong: the lanes that wait are the lower ones, which a scheduler may prefer for ever.
#include <cstdio>

__global__ void pass_back(volatile int* token, int* order, int* position) {
  const int t = threadIdx.x;
  while (*token != t) {}
  order[(*position)++] = t;
  __threadfence();
  *token = t - 1;
}

int main() {
  const int n = 96;
  int *token, *order, *position;
  cudaMallocManaged(&order, n * sizeof(int));
  cudaMalloc(&token, sizeof(int));
  cudaMalloc(&position, sizeof(int));
  const int first = n - 1;
  cudaMemcpy(token, &first, sizeof first, cudaMemcpyHostToDevice);
  cudaMemset(position, 0, sizeof(int));
  pass_back<<<1, n>>>(token, order, position);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += order[i] != n - 1 - i;
  printf("%d %d %d\n", order[0], order[40], order[95]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(order);
  cudaFree(token);
  cudaFree(position);
}
