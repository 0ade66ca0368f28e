// A sum over the blocks of a cluster through distributed shared memory. Each block adds up its own numbers. Then block 0 reads the other blocks' sums with
// ld.shared::cluster, at addresses from mapa. The others wait at the cluster's barrier, because shared memory ends with its block.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int CLUSTER = 8, THREADS = 128, PER_THREAD = 5, CLUSTERS = 3;

__global__ void __cluster_dims__(CLUSTER, 1, 1) sum_of_cluster(const int* in, long long* out) {
  __shared__ long long partial[THREADS / 32];
  __shared__ long long block_sum;
  uint32_t rank, size, cluster;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(cluster));
  long long sum = 0;
  for (int i = 0; i < PER_THREAD; ++i) sum += in[(blockIdx.x * PER_THREAD + i) * THREADS + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) block_sum = partial[0] + partial[1] + partial[2] + partial[3];

  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
  if (rank == 0 && threadIdx.x < 32) {
    long long value = 0;
    if (threadIdx.x < size) {
      const uint32_t mine = static_cast<uint32_t>(__cvta_generic_to_shared(&block_sum));
      uint32_t remote;
      asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(mine), "r"(threadIdx.x));
      asm volatile("ld.shared::cluster.s64 %0, [%1];" : "=l"(value) : "r"(remote) : "memory");
      value *= threadIdx.x + 1;
    }
    for (int d = 16; d > 0; d /= 2) value += __shfl_xor_sync(0xffffffff, value, d);
    if (threadIdx.x == 0) out[cluster] = value;
  }
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

int main() {
  constexpr int N = CLUSTERS * CLUSTER * PER_THREAD * THREADS;
  std::vector<int> in(N);
  for (int i = 0; i < N; ++i) in[i] = (i % 1999) * (i % 7) - 3000;
  int* d_in;
  long long *d_out, out[CLUSTERS];
  cudaMalloc(&d_in, N * sizeof(int));
  cudaMalloc(&d_out, sizeof out);
  cudaMemcpy(d_in, in.data(), N * sizeof(int), cudaMemcpyHostToDevice);
  sum_of_cluster<<<CLUSTERS * CLUSTER, THREADS>>>(d_in, d_out);
  cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int cluster = 0; cluster < CLUSTERS; ++cluster) {
    long long want = 0;
    for (int block = 0; block < CLUSTER; ++block) {
      const int* first = &in[(cluster * CLUSTER + block) * PER_THREAD * THREADS];
      for (int i = 0; i < PER_THREAD * THREADS; ++i) want += 1ll * first[i] * (block + 1);
    }
    wrong += out[cluster] != want;
    printf("cluster %d: %lld\n", cluster, out[cluster]);
  }
  printf("wrong sums: %d\n%s\n", wrong, wrong ? "FAILED" : "PASSED");
  cudaFree(d_in);
  cudaFree(d_out);
}
