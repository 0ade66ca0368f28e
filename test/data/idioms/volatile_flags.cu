// One warp waits on a volatile flag in shared memory that another warp of the block sets; and the host's
// classic: without `volatile` the compiler may read the flag once and spin for ever.
#include <cstdio>

__global__ void signal_once(int* out) {
  __shared__ volatile int flag;
  __shared__ volatile int data[32];
  const int t = threadIdx.x;
  if (t == 0) flag = 0;
  __syncthreads();
  if (t < 32) {  // the first warp waits, the second works
    while (flag == 0) {}
    __threadfence_block();
    out[t] = data[31 - t];
  } else {
    int v = t;
    for (int i = 0; i < 100; ++i) v = (v * 5 + 3) % 1021;
    data[t - 32] = v;
    __threadfence_block();
    __syncwarp();
    if (t == 32) flag = 1;
  }
}

int main() {
  int h[32], *d, wrong = 0;
  cudaMalloc(&d, sizeof h);
  signal_once<<<1, 64>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int t = 0; t < 32; ++t) {
    int v = 31 - t + 32;
    for (int i = 0; i < 100; ++i) v = (v * 5 + 3) % 1021;
    wrong += h[t] != v;
  }
  printf("%d %d %s\n", h[0], h[31], wrong ? "FAILED" : "PASSED");
  cudaFree(d);
}
