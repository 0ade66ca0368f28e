// Two halves of a warp shuffle in different branches, with the masks 0xffff and 0xffff0000.
// Easily got wrong: the halves need not run together, and each shuffle waits for its own half alone.
#include <cstdio>

__global__ void halves(int* out) {
  const int lane = threadIdx.x;
  int v = lane;
  if (lane < 16) {
    for (int offset = 8; offset; offset /= 2) v += __shfl_down_sync(0xffff, v, offset, 16);
    v = __shfl_sync(0xffff, v, 0);
  } else {
    for (int mask = 8; mask; mask /= 2) {
      const int other = __shfl_xor_sync(0xffff0000, v, mask);
      v = max(v, other);
    }
    v += __shfl_sync(0xffff0000, lane, 3, 16) * 1000;  // lane 3 of the half: lane 19
  }
  out[lane] = v;
  out[32 + lane] = __shfl_up_sync(0xffffffff, v, 1);
}

int main() {
  int h[64], *d;
  cudaMalloc(&d, sizeof h);
  halves<<<1, 32>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < 32; ++i) {
    wrong += h[i] != (i < 16 ? 120 : 19031);
    wrong += h[32 + i] != h[i ? i - 1 : 0];
  }
  printf("%d %d %d %d\n", h[0], h[15], h[16], h[48]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d);
}
