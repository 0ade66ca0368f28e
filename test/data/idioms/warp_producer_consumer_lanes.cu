// Lane 0 produces, lane 1 consumes, in two branches of one warp that talk through volatile shared memory.
// Legal since Volta: neither branch may run to its end before the other begins.
#include <cstdio>

__global__ void ping_pong(int* out) {
  __shared__ volatile int box, full;
  if (threadIdx.x == 0) full = 0;
  __syncwarp();
  if (threadIdx.x == 0) {
    for (int i = 1; i <= 50; ++i) {
      while (full) {}
      box = i * i;
      __threadfence_block();
      full = 1;
    }
  } else if (threadIdx.x == 1) {
    int sum = 0;
    for (int i = 1; i <= 50; ++i) {
      while (!full) {}
      __threadfence_block();
      sum += box;
      full = 0;
    }
    out[0] = sum;
  }
  __syncwarp();
  if (threadIdx.x == 2) out[1] = full;
}

int main() {
  int h[2], *d;
  cudaMalloc(&d, sizeof h);
  ping_pong<<<1, 32>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d %s\n", h[0], h[1], h[0] == 50 * 51 * 101 / 6 && h[1] == 0 ? "PASSED" : "FAILED");
  cudaFree(d);
}
