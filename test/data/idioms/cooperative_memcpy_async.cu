// cg::memcpy_async: a block copies tile after tile to shared memory while it works on the one before, with wait_prior<1> in between.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

constexpr int TILE = 200, TILES = 9, THREADS = 64;

__global__ void sum_tiles(const short* in, int* out) {
  __shared__ __align__(16) short stage[2][TILE];
  const cg::thread_block block = cg::this_thread_block();
  int sum = 0;
  cg::memcpy_async(block, stage[0], in, sizeof(short) * TILE);
  for (int tile = 0; tile < TILES; ++tile) {
    if (tile + 1 < TILES) {
      cg::memcpy_async(block, stage[(tile + 1) % 2], in + (tile + 1) * TILE, sizeof(short) * TILE);
      cg::wait_prior<1>(block);
    } else {
      cg::wait(block);
    }
    for (unsigned int i = block.thread_rank(); i < TILE; i += block.size()) sum += stage[tile % 2][TILE - 1 - i];
    block.sync();
  }
  atomicAdd(out, sum);
}

int main() {
  std::vector<short> in(TILE * TILES);
  int expected = 0;
  for (int i = 0; i < TILE * TILES; ++i) expected += in[i] = static_cast<short>(i % 101 - 40);
  short* d_in = nullptr;
  int* out = nullptr;
  cudaMalloc(&d_in, in.size() * sizeof(short));
  cudaMallocManaged(&out, sizeof(int));
  *out = 0;
  cudaMemcpy(d_in, in.data(), in.size() * sizeof(short), cudaMemcpyHostToDevice);
  sum_tiles<<<1, THREADS>>>(d_in, out);
  cudaDeviceSynchronize();
  printf("sum %d\n%s\n", *out, *out == expected ? "PASSED" : "FAILED");
  cudaFree(d_in);
  cudaFree(out);
}
