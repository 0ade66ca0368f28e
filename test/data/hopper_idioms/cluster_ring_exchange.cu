// The blocks of a cluster pass their parts around a ring, as in a ring allgather. In each turn a block copies the part that it received last into the shared memory
// of its right neighbour. The copy goes from shared memory to shared memory, and its bytes count at the neighbour's barrier. A part has its own place, so nothing
// is overwritten.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int CLUSTER = 4, WORDS = 64, THREADS = 64;

__device__ uint32_t u32(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }
__device__ uint32_t mapa(uint32_t address, uint32_t rank) {
  uint32_t remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(rank));
  return remote;
}
__device__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

__global__ __cluster_dims__(CLUSTER) void gather(const int* in, int* out) {
  __shared__ alignas(16) int parts[CLUSTER][WORDS];
  __shared__ uint64_t arrived[CLUSTER];
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  const uint32_t right = (rank + 1) % CLUSTER;
  if (threadIdx.x == 0) {
    for (uint64_t& bar : arrived) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(u32(&bar)) : "memory");
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(u32(&bar)), "r"(WORDS * 4) : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  parts[rank][threadIdx.x] = in[blockIdx.x * WORDS + threadIdx.x];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  cluster_barrier();
  for (uint32_t turn = 0; turn + 1 < CLUSTER; ++turn) {
    const uint32_t sends = (rank + CLUSTER - turn) % CLUSTER, receives = (rank + CLUSTER - turn - 1) % CLUSTER;
    if (threadIdx.x == 0) {
      asm volatile(
          "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
              mapa(u32(parts[sends]), right)),
          "r"(u32(parts[sends])), "r"(WORDS * 4), "r"(mapa(u32(&arrived[sends]), right))
          : "memory");
    }
    asm volatile(
        "{\n.reg .pred p;\nWAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n@!p bra WAIT;\n}" ::"r"(
            u32(&arrived[receives]))
        : "memory");
  }
  int sum = 0;
  for (int part = 0; part < CLUSTER; ++part) sum += parts[part][threadIdx.x] * (part + 1) + parts[part][WORDS - 1 - threadIdx.x];
  out[blockIdx.x * WORDS + threadIdx.x] = sum;
  cluster_barrier();  // the copies into the neighbour have been read from this block
}

int main() {
  constexpr int BLOCKS = 2 * CLUSTER, N = BLOCKS * WORDS;
  std::vector<int> in(N), out(N);
  for (int i = 0; i < N; ++i) in[i] = i * i % 1231 - 600;
  int *d_in, *d_out;
  cudaMalloc(&d_in, N * 4);
  cudaMalloc(&d_out, N * 4);
  cudaMemcpy(d_in, in.data(), N * 4, cudaMemcpyHostToDevice);
  gather<<<BLOCKS, THREADS>>>(d_in, d_out);
  cudaMemcpy(out.data(), d_out, N * 4, cudaMemcpyDeviceToHost);
  int wrong = 0, checksum = 0;
  for (int i = 0; i < N; ++i) {
    const int cluster = i / WORDS / CLUSTER, at = i % WORDS;
    int want = 0;
    for (int part = 0; part < CLUSTER; ++part) {
      const int* first = &in[(cluster * CLUSTER + part) * WORDS];
      want += first[at] * (part + 1) + first[WORDS - 1 - at];
    }
    wrong += out[i] != want;
    checksum += out[i] * (i % 7);
  }
  printf("sums: %d, wrong sums: %d, checksum: %d\n%s\n", N, wrong, checksum, wrong ? "FAILED" : "PASSED");
  cudaFree(d_in);
  cudaFree(d_out);
}
