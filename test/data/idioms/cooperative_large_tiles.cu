// Tiles of several warps: tiled_partition<64> and <128> of a block need memory from the kernel (block_tile_memory) on older devices.
// Each tile sums with cg::reduce, and its warps meet at tile.sync().
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

#include <cstdio>

namespace cg = cooperative_groups;

template <unsigned int SIZE>
__global__ void sum_tiles(int* sums) {
  __shared__ cg::block_tile_memory<256> memory;
  __shared__ int values[256];
  const cg::thread_block block = cg::this_thread_block(memory);
  const cg::thread_block_tile<SIZE> tile = cg::tiled_partition<SIZE>(block);
  values[block.thread_rank()] = static_cast<int>(block.thread_rank());
  tile.sync();
  const unsigned int first = block.thread_rank() - tile.thread_rank();
  const int mirrored = values[first + SIZE - 1 - tile.thread_rank()];
  const int sum = cg::reduce(tile, mirrored, cg::plus<int>());
  const int most = cg::reduce(tile, mirrored, cg::greater<int>());
  if (tile.thread_rank() == 0) sums[block.thread_rank() / SIZE] = sum * 1000 + most;
}

int main() {
  int* sums = nullptr;
  cudaMallocManaged(&sums, 8 * sizeof(int));
  sum_tiles<64><<<1, 256>>>(sums);
  cudaDeviceSynchronize();
  printf("64: %d %d %d %d\n", sums[0], sums[1], sums[2], sums[3]);
  sum_tiles<128><<<1, 256>>>(sums);
  cudaDeviceSynchronize();
  printf("128: %d %d\n", sums[0], sums[1]);
  cudaFree(sums);
}
