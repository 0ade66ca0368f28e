// __reduce_add_sync and its kin, of one instruction since sm_80: sums, extremes, bit operations, partial masks.
// Easily got wrong: they are for 32-bit integers alone, and min and max differ for signed and unsigned.
#include <cstdio>

__global__ void reduce(int* out) {
  const int t = threadIdx.x;
  const int s = (t * 37) % 64 - 30;
  const unsigned u = unsigned(s);
  out[t * 8] = __reduce_add_sync(0xffffffff, s);
  out[t * 8 + 1] = __reduce_min_sync(0xffffffff, s);
  out[t * 8 + 2] = __reduce_max_sync(0xffffffff, s);
  out[t * 8 + 3] = int(__reduce_min_sync(0xffffffff, u));
  out[t * 8 + 4] = int(__reduce_max_sync(0xffffffff, u));
  out[t * 8 + 5] = int(__reduce_and_sync(0xffffffff, u | 0x10));
  out[t * 8 + 6] = int(__reduce_or_sync(0xffffffff, 1u << (t & 15)));
  if (t % 2) out[t * 8 + 7] = int(__reduce_xor_sync(0xaaaaaaaa, 1u << t));
  else out[t * 8 + 7] = int(__reduce_add_sync(0x55555555, u));
}

int main() {
  int h[256], *d, wrong = 0;
  cudaMalloc(&d, sizeof h);
  reduce<<<1, 32>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  int sum = 0, even = 0, low = 99, high = -99;
  for (int t = 0; t < 32; ++t) {
    const int s = t * 37 % 64 - 30;
    sum += s;
    if (t % 2 == 0) even += s;
    low = s < low ? s : low;
    high = s > high ? s : high;
  }
  for (int t = 0; t < 32; ++t) {
    wrong += h[t * 8] != sum || h[t * 8 + 1] != low || h[t * 8 + 2] != high || h[t * 8 + 6] != 0xffff;
    wrong += h[t * 8 + 7] != (t % 2 ? int(0xaaaaaaaa) : even);
  }
  for (int i = 0; i < 8; ++i) printf("%d ", h[i]);
  printf("%x\n", h[15]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d);
}
