// coalesced_threads(): the lanes that are here together, with ranks of their own; warp-aggregated atomics,
// labelled by __match_any_sync. Easily got wrong: who is together depends on the branch, so only sums are sure.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

__device__ int aggregated_add(int* counter) {
  const cg::coalesced_group active = cg::coalesced_threads();
  int base = 0;
  if (active.thread_rank() == 0) base = atomicAdd(counter, int(active.size()));
  return active.shfl(base, 0) + int(active.thread_rank());
}
__device__ void add_to_bin(int* bins, int key) {
  const unsigned active = __activemask();
  const unsigned same = __match_any_sync(active, key);
  if (int(threadIdx.x % 32) == __ffs(int(same)) - 1) atomicAdd(&bins[key], __popc(same));
}

__global__ void filter(const int* in, int n, int* out, int* count, int* bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (in[i] > 50) out[aggregated_add(count)] = in[i];
  add_to_bin(bins, in[i] % 4);
}

int main() {
  const int n = 1500;
  int *in, *out, *count, *bins, kept = 0, sum = 0, found = 0, wrong = 0, expected[4] = {};
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, n * sizeof(int));
  cudaMallocManaged(&count, sizeof(int));
  cudaMallocManaged(&bins, 4 * sizeof(int));
  *count = 0;
  for (int b = 0; b < 4; ++b) bins[b] = 0;
  for (int i = 0; i < n; ++i) {
    in[i] = i * i % 101;
    ++expected[in[i] % 4];
    if (in[i] > 50) ++kept, sum += in[i];
  }
  filter<<<(n + 255) / 256, 256>>>(in, n, out, count, bins);
  cudaDeviceSynchronize();
  for (int i = 0; i < *count; ++i) found += out[i];
  for (int b = 0; b < 4; ++b) wrong += bins[b] != expected[b];
  printf("%d kept, sum %d, bins %d %d %d %d\n", *count, found, bins[0], bins[1], bins[2], bins[3]);
  puts(wrong || *count != kept || found != sum ? "FAILED" : "PASSED");
  cudaFree(in);
  cudaFree(out);
  cudaFree(count);
  cudaFree(bins);
}
