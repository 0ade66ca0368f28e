// Cooperative groups: tiles of 32, 16, 8 and 4 lanes with their ranks, shuffles and votes.
// Easily got wrong: ranks and masks count within the tile, not within the warp.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

template <int SIZE>
__global__ void tiles(const int* in, int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<SIZE>(block);
  const int i = blockIdx.x * block.size() + block.thread_rank();
  int v = in[i];
  for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
  const int sum = tile.shfl(v, 0);
  const int neighbour = tile.shfl_xor(in[i], 1), left = tile.shfl_up(in[i], 1);
  const unsigned odd = tile.ballot(in[i] % 2);
  const bool any = tile.any(in[i] > 90), all = tile.all(in[i] >= 3);
  tile.sync();
  out[i] = sum + 1000 * neighbour + (left == in[i ? i - 1 : 0]) * 100000 + __popc(odd) * 1000000 + any * 100000000 +
           all * 200000000 + int(tile.meta_group_rank() == block.thread_rank() / SIZE) * 400000000 +
           int(tile.thread_rank() == block.thread_rank() % SIZE) * 800000000;
}

int *in, *out;

template <int SIZE>
void check() {
  const int n = 192;
  tiles<SIZE><<<2, n / 2>>>(in, out);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const int base = i / SIZE * SIZE;
    int sum = 0, odd = 0, any = 0, all = 1;
    for (int k = base; k < base + SIZE; ++k) sum += in[k], odd += in[k] % 2, any |= in[k] > 90, all &= in[k] >= 3;
    const int left = i % SIZE ? in[i - 1] : in[i];
    const int expected = sum + 1000 * in[i ^ 1] + (left == in[i ? i - 1 : 0]) * 100000 + odd * 1000000 + any * 100000000 +
                         all * 200000000 + 1200000000;
    wrong += out[i] != expected;
  }
  printf("%d: %d %d %s\n", SIZE, out[0], out[n - 1], wrong ? "FAILED" : "PASSED");
}

int main() {
  cudaMallocManaged(&in, 192 * sizeof(int));
  cudaMallocManaged(&out, 192 * sizeof(int));
  for (int i = 0; i < 192; ++i) in[i] = i * 29 % 97;
  check<32>();
  check<16>();
  check<8>();
  check<4>();
  cudaFree(in);
  cudaFree(out);
}
