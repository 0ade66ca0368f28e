// A reduction with cooperative groups, as NVIDIA's newer examples write it.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void sum(const int* in, int* out, int n) {
  extern __shared__ int sdata[];
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);

  int mine = 0;
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) mine += in[i];
  sdata[block.thread_rank()] = cg::reduce(warp, mine, cg::plus<int>());
  cg::sync(block);

  if (block.thread_rank() == 0) {
    int total = 0;
    for (unsigned int i = 0; i < block.size(); i += warp.size()) total += sdata[i];
    atomicAdd(out, total);
  }
}

// One atomic for all lanes that want one.
__global__ void count_multiples(const int* in, int* count, int n, int of) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % of == 0) {
    const cg::coalesced_group together = cg::coalesced_threads();
    if (together.thread_rank() == 0) atomicAdd(count, (int)together.size());
  }
}

// Sums of neighbouring fours, with the tile's shuffles and votes.
__global__ void fours(const int* in, int* out, unsigned int* odd) {
  auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  int v = in[threadIdx.x];
  const unsigned int bits = tile.ballot(v & 1);
  for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
  if (tile.thread_rank() == 0) {
    out[tile.meta_group_rank()] = v;
    odd[tile.meta_group_rank()] = bits;
  }
}

int main() {
  const int n = 10000;
  int *in, *out;
  unsigned int* odd;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, 64 * sizeof(int));
  cudaMallocManaged(&odd, 64 * sizeof(int));
  int want = 0, multiples = 0;
  for (int i = 0; i < n; ++i) {
    in[i] = i % 17;
    want += in[i];
    multiples += in[i] % 3 == 0;
  }
  out[0] = out[1] = 0;
  sum<<<4, 128, 128 * sizeof(int)>>>(in, &out[0], n);
  count_multiples<<<(n + 255) / 256, 256>>>(in, &out[1], n, 3);
  fours<<<1, 64>>>(in, &out[2], odd);
  const cudaError_t error = cudaDeviceSynchronize();
  bool good = error == cudaSuccess && out[0] == want && out[1] == multiples;
  for (int t = 0; t < 16; ++t) {
    int four = 0;
    unsigned int bits = 0;
    for (int k = 0; k < 4; ++k) {
      four += in[4 * t + k];
      bits |= (in[4 * t + k] & 1u) << k;
    }
    good = good && out[2 + t] == four && odd[t] == bits;
  }
  printf("%s: sum %d, multiples of 3: %d\n%s\n", cudaGetErrorString(error), out[0], out[1], good ? "PASSED" : "FAILED");
  cudaFree(in);
  cudaFree(out);
  cudaFree(odd);
  return good ? 0 : 1;
}
