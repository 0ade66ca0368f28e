// A histogram whose bins are distributed over the shared memory of a cluster's blocks. Each block counts its part of the data, with atomics on the bins of all
// blocks of the cluster. The cluster's size is an attribute of the launch.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

constexpr int BINS = 192, CLUSTER = 4, BINS_OF_BLOCK = BINS / CLUSTER, THREADS = 64;

__global__ void histogram(int* bins, const int* __restrict__ in, int n) {
  extern __shared__ int smem[];
  const auto cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  for (int i = threadIdx.x; i < BINS_OF_BLOCK; i += blockDim.x) smem[i] = 0;
  cluster.sync();  // all blocks have begun, and their bins are zero

  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    const int bin = in[i] % BINS;
    int* owner = cluster.map_shared_rank(smem, bin / BINS_OF_BLOCK);
    atomicAdd(owner + bin % BINS_OF_BLOCK, 1);
  }
  cluster.sync();  // no block leaves while others still count in its bins

  for (int i = threadIdx.x; i < BINS_OF_BLOCK; i += blockDim.x) {
    atomicAdd(&bins[rank * BINS_OF_BLOCK + i], smem[i]);
  }
}

int main() {
  constexpr int N = 6000, BLOCKS = 2 * CLUSTER;
  std::vector<int> in(N), bins(BINS), want(BINS);
  unsigned state = 2463534242u;
  for (int& x : in) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    x = static_cast<int>((state % 251) * (state % 17) % 1000);
    ++want[x % BINS];
  }
  int *d_in, *d_bins;
  cudaMalloc(&d_in, N * sizeof(int));
  cudaMalloc(&d_bins, BINS * sizeof(int));
  cudaMemset(d_bins, 0, BINS * sizeof(int));
  cudaMemcpy(d_in, in.data(), N * sizeof(int), cudaMemcpyHostToDevice);

  cudaLaunchConfig_t config = {};
  config.gridDim = BLOCKS;
  config.blockDim = THREADS;
  config.dynamicSmemBytes = BINS_OF_BLOCK * sizeof(int);
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = CLUSTER;
  attribute[0].val.clusterDim.y = 1;
  attribute[0].val.clusterDim.z = 1;
  config.numAttrs = 1;
  config.attrs = attribute;
  const cudaError_t launched = cudaLaunchKernelEx(&config, histogram, d_bins, static_cast<const int*>(d_in), N);
  cudaMemcpy(bins.data(), d_bins, BINS * sizeof(int), cudaMemcpyDeviceToHost);

  int wrong = 0, fullest = 0, total = 0;
  for (int i = 0; i < BINS; ++i) {
    wrong += bins[i] != want[i];
    total += bins[i];
    if (bins[i] > bins[fullest]) fullest = i;
  }
  printf("launch: %s\n", cudaGetErrorString(launched));
  printf("counted: %d, fullest bin: %d with %d, wrong bins: %d\n", total, fullest, bins[fullest], wrong);
  printf("%s\n", wrong ? "FAILED" : "PASSED");
  cudaFree(d_in);
  cudaFree(d_bins);
}
