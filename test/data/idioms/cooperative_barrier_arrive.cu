// A block's barrier in two steps: work of a thread's own between its arrival and its wait.
#include <cooperative_groups.h>

#include <cstdio>
#include <utility>

namespace cg = cooperative_groups;

__global__ void neighbours(int* x) {
  __shared__ int tile[64];
  const auto block = cg::this_thread_block();
  const int thread = block.thread_rank();
  for (int round = 0; round < 2; ++round) {
    tile[thread] = x[thread];
    auto written = block.barrier_arrive();
    const int mine = x[thread] * 100;
    block.barrier_wait(std::move(written));
    const int next = tile[(thread + 1) % 64];
    cg::thread_block::arrival_token read = block.barrier_arrive();
    x[thread] = (mine + next) % 1000;
    block.barrier_wait(std::move(read));
  }
}

int main() {
  int* x;
  cudaMallocManaged(&x, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) x[i] = i;
  neighbours<<<1, 64>>>(x);
  std::printf("%s:", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 64; i += 7) std::printf(" %d", x[i]);
  std::printf("\n");
  cudaFree(x);
}
