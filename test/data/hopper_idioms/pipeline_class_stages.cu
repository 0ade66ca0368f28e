// cuda::pipeline of a block: all threads copy tiles ahead by cuda::memcpy_async, and all consume them. Its barriers are mbarriers.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cuda/pipeline>
#include <vector>

namespace cg = cooperative_groups;

constexpr int TILE = 256, TILES = 24, THREADS = 64, STAGES = 3;

__global__ void sum_tiles(const int* in, int* out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
  __shared__ __align__(16) int stage[STAGES][TILE];
  const cg::thread_block block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int tile = 0, next = 0; tile < TILES; ++tile) {
    for (; next < TILES && next < tile + STAGES; ++next) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, stage[next % STAGES], in + next * TILE,
                         cuda::aligned_size_t<16>(TILE * sizeof(int)), pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    for (int i = static_cast<int>(threadIdx.x); i < TILE; i += THREADS)
      sum += (tile + 1) * stage[tile % STAGES][TILE - 1 - i];
    pipeline.consumer_release();
  }
  out[threadIdx.x] = sum;
}

int main() {
  std::vector<int> in(TILE * TILES), out(THREADS);
  for (int i = 0; i < TILE * TILES; ++i) in[static_cast<size_t>(i)] = i % 13 - 5;
  int *d_in = nullptr, *d_out = nullptr;
  cudaMalloc(&d_in, in.size() * sizeof(int));
  cudaMalloc(&d_out, out.size() * sizeof(int));
  cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
  sum_tiles<<<1, THREADS>>>(d_in, d_out);
  const cudaError_t ended = cudaDeviceSynchronize();
  cudaMemcpy(out.data(), d_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int thread = 0; thread < THREADS; ++thread) {
    int sum = 0;
    for (int tile = 0; tile < TILES; ++tile) {
      for (int i = thread; i < TILE; i += THREADS)
        sum += (tile + 1) * in[static_cast<size_t>(tile * TILE + TILE - 1 - i)];
    }
    wrong += out[static_cast<size_t>(thread)] != sum;
  }
  printf("%s\n%d %d, %d wrong\n%s\n", cudaGetErrorName(ended), out[0], out[THREADS - 1], wrong,
         wrong == 0 ? "PASSED" : "FAILED");
  cudaFree(d_in);
  cudaFree(d_out);
}
