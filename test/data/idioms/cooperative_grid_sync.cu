// A cooperative launch: all blocks meet at grid.sync() between the steps of a scan over blocks, so one kernel does the work of three.
// Only as many blocks as the device holds at once may be launched so; the data is taken in strides of the grid.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

constexpr int N = 1 << 16, BLOCKS = 32, THREADS = 128;

__global__ void scan(const int* in, int* out, int* sums, int n) {
  const cg::grid_group grid = cg::this_grid();
  const int per_block = (n + static_cast<int>(grid.num_blocks()) - 1) / static_cast<int>(grid.num_blocks());
  const int first = static_cast<int>(grid.block_rank()) * per_block;
  const int last = min(first + per_block, n);
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int i = first; i < last; ++i) sum += in[i];
    sums[blockIdx.x] = sum;
  }
  grid.sync();
  if (grid.thread_rank() == 0) {
    int before = 0;
    for (unsigned int b = 0; b < gridDim.x; ++b) {
      const int sum = sums[b];
      sums[b] = before;
      before += sum;
    }
  }
  grid.sync();
  if (threadIdx.x == 0) {
    int sum = sums[blockIdx.x];
    for (int i = first; i < last; ++i) out[i] = sum += in[i];
  }
}

int main() {
  std::vector<int> in(N), out(N);
  for (int i = 0; i < N; ++i) in[i] = i % 7 - 2;
  int *d_in = nullptr, *d_out = nullptr, *d_sums = nullptr;
  cudaMalloc(&d_in, N * sizeof(int));
  cudaMalloc(&d_out, N * sizeof(int));
  cudaMalloc(&d_sums, BLOCKS * sizeof(int));
  cudaMemcpy(d_in, in.data(), N * sizeof(int), cudaMemcpyHostToDevice);

  int cooperative = 0;
  cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0);
  int n = N;
  void* arguments[] = {&d_in, &d_out, &d_sums, &n};
  const cudaError_t launched =
      cudaLaunchCooperativeKernel(scan, dim3(BLOCKS), dim3(THREADS), arguments, 0, nullptr);
  const cudaError_t ended = cudaDeviceSynchronize();
  printf("cooperative %d, %s, %s\n", cooperative, cudaGetErrorName(launched), cudaGetErrorName(ended));
  printf("a grid too large: %s\n",
         cudaGetErrorName(cudaLaunchCooperativeKernel(scan, dim3(1 << 20), dim3(THREADS), arguments, 0, nullptr)));
  cudaGetLastError();

  cudaMemcpy(out.data(), d_out, N * sizeof(int), cudaMemcpyDeviceToHost);
  int sum = 0, wrong = 0;
  for (int i = 0; i < N; ++i) {
    sum += in[i];
    wrong += out[i] != sum;
  }
  printf("last %d, %d wrong\n%s\n", out[N - 1], wrong, wrong == 0 ? "PASSED" : "FAILED");
  cudaFree(d_in);
  cudaFree(d_out);
  cudaFree(d_sums);
}
