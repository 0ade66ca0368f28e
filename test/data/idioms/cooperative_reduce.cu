// cg::reduce over tiles with plus, less, greater and the bit operations; a block's sum from two levels of it.
// Easily got wrong: every lane gets the result, so that only one may add it to memory.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void reduce(const int* in, int* sums, int* out) {
  __shared__ int partial[8];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto eight = cg::tiled_partition<8>(warp);
  const int i = block.group_index().x * block.size() + block.thread_rank();
  const int v = in[i];
  out[i * 4] = cg::reduce(eight, v, cg::greater<int>());
  out[i * 4 + 1] = cg::reduce(eight, v, cg::less<int>());
  out[i * 4 + 2] = int(cg::reduce(warp, unsigned(v), cg::bit_xor<unsigned>()));
  out[i * 4 + 3] = int(cg::reduce(warp, v * 0.5f, cg::plus<float>()));
  const int sum = cg::reduce(warp, v, cg::plus<int>());
  if (warp.thread_rank() == 0) partial[warp.meta_group_rank()] = sum;
  block.sync();
  if (warp.meta_group_rank() == 0) {
    const int p = warp.thread_rank() < warp.meta_group_size() ? partial[warp.thread_rank()] : 0;
    const int total = cg::reduce(warp, p, cg::plus<int>());
    if (warp.thread_rank() == 0) sums[blockIdx.x] = total;
  }
}

int main() {
  const int n = 512, threads = 256;
  int *in, *sums, *out;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&sums, 2 * sizeof(int));
  cudaMallocManaged(&out, 4 * n * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = i * 131 % 509 * 2;
  reduce<<<2, threads>>>(in, sums, out);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    int high = 0, low = 1 << 30, bits = 0, half = 0;
    for (int k = i / 8 * 8; k < i / 8 * 8 + 8; ++k) high = in[k] > high ? in[k] : high, low = in[k] < low ? in[k] : low;
    for (int k = i / 32 * 32; k < i / 32 * 32 + 32; ++k) bits ^= in[k], half += in[k] / 2;
    wrong += out[i * 4] != high || out[i * 4 + 1] != low || out[i * 4 + 2] != bits || out[i * 4 + 3] != half;
  }
  int totals[2] = {};
  for (int i = 0; i < n; ++i) totals[i / threads] += in[i];
  printf("%d %d\n", sums[0], sums[1]);
  puts(wrong || sums[0] != totals[0] || sums[1] != totals[1] ? "FAILED" : "PASSED");
  cudaFree(in);
  cudaFree(sums);
  cudaFree(out);
}
