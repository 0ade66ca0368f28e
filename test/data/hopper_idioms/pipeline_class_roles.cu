// cuda::pipeline with roles: one warp only copies, the others only compute. A producer waits until its stage was consumed.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cuda/pipeline>
#include <vector>

namespace cg = cooperative_groups;

constexpr int TILE = 96, TILES = 20, THREADS = 128, STAGES = 2;

__global__ void scale_tiles(const int* in, int* out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
  __shared__ int stage[STAGES][TILE];
  const cg::thread_block block = cg::this_thread_block();
  const bool produces = threadIdx.x < 32;
  auto pipeline = cuda::make_pipeline(
      block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  for (int tile = 0; tile < TILES; ++tile) {
    int* const place = stage[tile % STAGES];
    if (produces) {
      pipeline.producer_acquire();
      for (int i = static_cast<int>(threadIdx.x); i < TILE; i += 32)
        cuda::memcpy_async(place + i, in + tile * TILE + i, sizeof(int), pipeline);
      pipeline.producer_commit();
    } else {
      pipeline.consumer_wait();
      const int i = static_cast<int>(threadIdx.x) - 32;
      out[tile * TILE + i] = place[TILE - 1 - i] * (tile + 1);
      pipeline.consumer_release();
    }
  }
}

int main() {
  std::vector<int> in(TILE * TILES), out(TILE * TILES);
  for (int i = 0; i < TILE * TILES; ++i) in[static_cast<size_t>(i)] = i * 7 % 1000;
  int *d_in = nullptr, *d_out = nullptr;
  cudaMalloc(&d_in, in.size() * sizeof(int));
  cudaMalloc(&d_out, out.size() * sizeof(int));
  cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
  scale_tiles<<<1, THREADS>>>(d_in, d_out);
  const cudaError_t ended = cudaDeviceSynchronize();
  cudaMemcpy(out.data(), d_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int tile = 0; tile < TILES; ++tile) {
    for (int i = 0; i < TILE; ++i) {
      const int value = in[static_cast<size_t>(tile * TILE + TILE - 1 - i)] * (tile + 1);
      wrong += out[static_cast<size_t>(tile * TILE + i)] != value;
    }
  }
  printf("%s\n%d %d, %d wrong\n%s\n", cudaGetErrorName(ended), out[0], out.back(), wrong,
         wrong == 0 ? "PASSED" : "FAILED");
  cudaFree(d_in);
  cudaFree(d_out);
}
