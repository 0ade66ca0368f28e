// __match_any_sync gives each lane the mask of those with its value, __match_all_sync whether all agree.
// Easily got wrong: only the lowest lane of each group then does the group's atomic.
#include <cstdio>

__device__ int bins[8];

__global__ void label(const int* keys, unsigned* mask, int* rank) {
  const int t = threadIdx.x, lane = t % 32;
  const int key = keys[t];
  const unsigned same = __match_any_sync(0xffffffff, key);
  const int leader = __ffs(same) - 1;
  int base = 0;
  if (lane == leader) base = atomicAdd(&bins[key], __popc(same));
  base = __shfl_sync(same, base, leader);
  mask[t] = same;
  rank[t] = __popc(same & ((1u << lane) - 1)) + (base < 0);
}
__global__ void agree(int* out) {
  const int t = threadIdx.x;
  int all_a, all_b, all_c;
  const unsigned a = __match_all_sync(0xffffffff, 5.5, &all_a);
  const unsigned b = __match_all_sync(0xffffffff, t / 31, &all_b);
  unsigned c = 0;
  all_c = -1;
  if (t >= 16) c = __match_all_sync(0xffff0000, 1ull << t / 16, &all_c);
  const unsigned d = __match_any_sync(0xffffffff, (t % 4) * 10000000000ll);
  out[t] = (a == ~0u) + 2 * (all_a != 0) + 4 * (b == 0) + 8 * (all_b == 0) + 16 * (c == 0xffff0000) + 32 * (all_c == 1) +
           64 * (d == 0x11111111u << t % 4);
}

int main() {
  const int n = 96;
  int keys[n], rank[n], h[8], out[32], *d_keys, *d_rank, wrong = 0, counts[8] = {};
  unsigned mask[n], *d_mask;
  for (int i = 0; i < n; ++i) ++counts[keys[i] = i * i % 8];
  cudaMalloc(&d_keys, sizeof keys);
  cudaMalloc(&d_rank, sizeof rank);
  cudaMalloc(&d_mask, sizeof mask);
  cudaMemcpy(d_keys, keys, sizeof keys, cudaMemcpyHostToDevice);
  label<<<1, n>>>(d_keys, d_mask, d_rank);
  cudaMemcpy(mask, d_mask, sizeof mask, cudaMemcpyDeviceToHost);
  cudaMemcpy(rank, d_rank, sizeof rank, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(h, bins, sizeof h);
  for (int i = 0; i < n; ++i) {
    unsigned m = 0;
    for (int l = 0; l < 32; ++l) m |= unsigned(keys[i / 32 * 32 + l] == keys[i]) << l;
    int below = 0;
    for (int l = 0; l < i % 32; ++l) below += m >> l & 1;
    wrong += m != mask[i] || rank[i] != below;
  }
  for (int b = 0; b < 8; ++b) wrong += h[b] != counts[b];
  agree<<<1, 32>>>(d_rank);
  cudaMemcpy(out, d_rank, sizeof out, cudaMemcpyDeviceToHost);
  printf("%08x %08x %d %d\n", mask[0], mask[1], out[0], out[16]);
  puts(wrong || out[0] != 79 || out[31] != 127 ? "FAILED" : "PASSED");
  cudaFree(d_keys);
  cudaFree(d_rank);
  cudaFree(d_mask);
}
