// flags: -lcuda
// Two blocks of a cluster multiply different rows of A by the same columns of B. Each block loads one half of B's tile, and the copy writes it into the shared memory
// of both. So `full` of each block counts bytes that the other block has asked for, and a stage is empty when the consumers of both blocks have given it back.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int M = 256, N = 32, K = 256, BM = 64, BK = 64, STAGES = 2, CLUSTER = 2, WARPS = 4;

struct alignas(1024) Smem {
  half a[STAGES][BM * BK];
  half b[STAGES][N * BK];
  uint64_t full[STAGES], empty[STAGES];
};

__device__ uint32_t smem_u32(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }
__device__ uint32_t rank_in_cluster() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ void wait(uint64_t& bar, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred P1;\n"
      "LAB_WAIT:\n"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 P1, [%0], %1;\n"
      "@P1 bra DONE;\n"
      "bra LAB_WAIT;\n"
      "DONE:\n"
      "}" ::"r"(smem_u32(&bar)),
      "r"(parity)
      : "memory");
}
// Arrives at the barrier that lies at the same place in another block of the cluster.
__device__ void arrive_in_block(uint64_t& bar, uint32_t rank) {
  asm volatile(
      "{\n"
      ".reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n"
      "}" ::"r"(smem_u32(&bar)),
      "r"(rank)
      : "memory");
}

__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(160)
    product(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, float* c) {
  __shared__ Smem s;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const uint32_t rank = rank_in_cluster();
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem_u32(&s.full[i])), "r"(1));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem_u32(&s.empty[i])), "r"(CLUSTER * WARPS));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cluster_sync();  // the other block's barriers are initialised too
  if (warp == WARPS) {
    if (lane == 0) {
      for (int step = 0; step < K / BK; ++step) {
        const int i = step % STAGES;
        wait(s.empty[i], (step / STAGES + 1) & 1);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem_u32(&s.full[i])),
                     "r"((BM + N) * BK * 2)
                     : "memory");
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
                smem_u32(s.a[i])),
            "l"(&map_a), "r"(smem_u32(&s.full[i])), "r"(step * BK), "r"(static_cast<int>(blockIdx.x) * BM)
            : "memory");
        const int half_of_b = N / CLUSTER * static_cast<int>(rank);
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
            " [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(smem_u32(s.b[i] + half_of_b * BK)),
            "l"(&map_b), "r"(smem_u32(&s.full[i])), "r"(step * BK), "r"(half_of_b), "h"(static_cast<uint16_t>(0b11))
            : "memory");
      }
    }
    __syncwarp();
  } else {
    float d[16] = {};
    for (int step = 0; step < K / BK; ++step) {
      const int i = step % STAGES;
      wait(s.full[i], step / STAGES & 1);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
      for (int k = 0; k < BK; k += 16) {
        const uint64_t kind = 64ull << 32 | 1ull << 62;
        asm volatile(
            "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "
            "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, %16, %17, 1, 1, 1, 0, 0;"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
              "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
            : "l"(kind | smem_u32(s.a[i] + k) >> 4), "l"(kind | smem_u32(s.b[i] + k) >> 4));
      }
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      __syncwarp();
      if (lane < CLUSTER) arrive_in_block(s.empty[i], lane);  // one lane for each block
    }
    for (int i = 0; i < 16; ++i) {
      const int row = blockIdx.x * BM + warp * 16 + lane / 4 + i / 2 % 2 * 8;
      c[row * N + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
    }
  }
  cluster_sync();  // no block ends while the other still copies into it or arrives at its barriers
}

int main() {
  std::vector<half> a(M * K), b(N * K);
  std::vector<float> c(M * N);
  for (int i = 0; i < M * K; ++i) a[i] = __int2half_rn(i * 7 % 25 - 12);
  for (int i = 0; i < N * K; ++i) b[i] = __int2half_rn(i * 9 % 23 - 11);
  half *d_a, *d_b;
  float* d_c;
  cudaMalloc(&d_a, a.size() * 2);
  cudaMalloc(&d_b, b.size() * 2);
  cudaMalloc(&d_c, c.size() * 4);
  cudaMemcpy(d_a, a.data(), a.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), b.size() * 2, cudaMemcpyHostToDevice);
  CUtensorMap maps[2];
  for (int i = 0; i < 2; ++i) {
    const cuuint64_t size[] = {K, i == 0 ? cuuint64_t(M) : N}, pitch[] = {K * 2};
    const cuuint32_t box[] = {BK, i == 0 ? cuuint32_t(BM) : N / CLUSTER}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&maps[i], CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, i == 0 ? d_a : d_b, size, pitch, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
      return printf("FAILED: map %d is refused\n", i), 1;
  }
  product<<<M / BM, 160>>>(maps[0], maps[1], d_c);
  cudaMemcpy(c.data(), d_c, c.size() * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  double sum = 0;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      int want = 0;
      for (int k = 0; k < K; ++k) want += ((m * K + k) * 7 % 25 - 12) * ((n * K + k) * 9 % 23 - 11);
      wrong += !(c[m * N + n] == float(want));
      sum += c[m * N + n] * (m % 3 + n % 4);
    }
  }
  printf("clusters: %d, wrong elements: %d, weighted sum: %.0f\n", M / BM / CLUSTER, wrong, sum);
  printf("%s\n", wrong ? "FAILED" : "PASSED");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}
