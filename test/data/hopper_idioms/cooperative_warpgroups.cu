// flags: -lcuda
// Two warpgroups work on one tile of C: each multiplies its own 64 rows of A by the same columns of B. A third group of threads produces. A stage is
// empty when both warpgroups have given it back.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

constexpr int M = 128, N = 48, K = 192;
constexpr int BM = 128, BN = 16, BK = 64, STAGES = 2, GROUPS = 2;

struct SharedStorage {
  alignas(1024) half a[STAGES][BM * BK];
  alignas(1024) half b[STAGES][BN * BK];
  alignas(8) uint64_t full[STAGES];
  alignas(8) uint64_t empty[STAGES];
};

__device__ uint32_t to_u32(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ void init_barrier(uint64_t& bar, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(to_u32(&bar)), "r"(count)
               : "memory");
}

__device__ void wait_barrier(uint64_t& bar, int phase) {
  asm volatile(
      "{\n"
      ".reg .pred P1;\n"
      "LAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
      "@P1 bra DONE;\n"
      "bra LAB_WAIT;\n"
      "DONE:\n"
      "}" ::"r"(to_u32(&bar)),
      "r"(phase)
      : "memory");
}

__device__ void tma_load(void* dst, const CUtensorMap* map, int k, int row, uint64_t& bar) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%3, %4}], [%2];" ::"r"(to_u32(dst)),
      "l"(map), "r"(to_u32(&bar)), "r"(k), "r"(row)
      : "memory");
}

__device__ uint64_t desc(const half* p) {
  return (to_u32(p) & 0x3ffff) >> 4 | 64ull << 32 | 1ull << 62;
}

__device__ void mma(float (&d)[2][4], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, "
      "%9, 1, 1, 1, 0, 0;"
      : "+f"(d[0][0]), "+f"(d[0][1]), "+f"(d[0][2]), "+f"(d[0][3]), "+f"(d[1][0]), "+f"(d[1][1]),
        "+f"(d[1][2]), "+f"(d[1][3])
      : "l"(a), "l"(b));
}

__global__ __launch_bounds__((GROUPS + 1) *
                             128) void gemm(const __grid_constant__ CUtensorMap map_a,
                                            const __grid_constant__ CUtensorMap map_b, float* c) {
  extern __shared__ __align__(1024) uint8_t raw[];
  SharedStorage& s = *reinterpret_cast<SharedStorage*>((reinterpret_cast<uintptr_t>(raw) + 1023) &
                                                       ~uintptr_t{1023});
  const int group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      init_barrier(s.full[i], 1);
      init_barrier(s.empty[i], GROUPS);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  const int n0 = blockIdx.x * BN;
  if (group == 0) {
    if (threadIdx.x == 0) {
      for (int i = 0; i < K / BK; ++i) {
        const int stage = i % STAGES;
        wait_barrier(s.empty[stage], i / STAGES % 2 ^ 1);
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(to_u32(&s.full[stage])),
            "r"(BK * (BM + BN) * 2)
            : "memory");
        tma_load(s.a[stage], &map_a, i * BK, 0, s.full[stage]);
        tma_load(s.b[stage], &map_b, i * BK, n0, s.full[stage]);
      }
    }
  } else {
    float d[2][4] = {};
    const int row0 = (group - 1) * 64;
    for (int i = 0; i < K / BK; ++i) {
      const int stage = i % STAGES;
      wait_barrier(s.full[stage], i / STAGES % 2);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      for (int k = 0; k < BK; k += 16)
        mma(d, desc(s.a[stage] + row0 * BK + k), desc(s.b[stage] + k));
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      // The warpgroup's threads meet at a barrier of their own. Then one of them arrives for all.
      asm volatile("bar.sync %0, 128;" ::"r"(group) : "memory");
      if (threadIdx.x % 128 == 0) {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(to_u32(&s.empty[stage]))
                     : "memory");
      }
    }
    const int t = threadIdx.x % 128, row = row0 + t / 32 * 16 + t % 32 / 4, col = n0 + t % 4 * 2;
    for (int j = 0; j < 2; ++j) {
      float* at = c + row * N + col + j * 8;
      at[0] = d[j][0];
      at[1] = d[j][1];
      at[8 * N] = d[j][2];
      at[8 * N + 1] = d[j][3];
    }
  }
}

CUtensorMap map_of(half* matrix, uint64_t rows, uint32_t box_rows) {
  CUtensorMap map;
  const cuuint64_t size[] = {K, rows}, pitch[] = {K * sizeof(half)};
  const cuuint32_t box[] = {BK, box_rows}, step[] = {1, 1};
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, matrix, size, pitch, box, step,
                         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                         CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

}  // namespace

int main() {
  std::vector<half> a(M * K), b(N * K);
  std::vector<float> c(M * N);
  for (int i = 0; i < M * K; ++i) a[i] = __int2half_rn(i * 19 % 33 - 16);
  for (int i = 0; i < N * K; ++i) b[i] = __int2half_rn(i * 23 % 29 - 14);
  half *d_a, *d_b;
  float* d_c;
  cudaMalloc(&d_a, a.size() * sizeof(half));
  cudaMalloc(&d_b, b.size() * sizeof(half));
  cudaMalloc(&d_c, c.size() * sizeof(float));
  cudaMemcpy(d_a, a.data(), a.size() * sizeof(half), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), b.size() * sizeof(half), cudaMemcpyHostToDevice);
  const int bytes = sizeof(SharedStorage) + 1024;
  cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  gemm<<<N / BN, (GROUPS + 1) * 128, bytes>>>(map_of(d_a, M, BM), map_of(d_b, N, BN), d_c);
  cudaMemcpy(c.data(), d_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  double sum = 0;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      int want = 0;
      for (int k = 0; k < K; ++k)
        want += ((m * K + k) * 19 % 33 - 16) * ((n * K + k) * 23 % 29 - 14);
      if (c[m * N + n] != static_cast<float>(want)) ++wrong;
      sum += c[m * N + n] * ((m + n) % 3);
    }
  }
  printf("%d bytes of shared memory\nwrong elements: %d, weighted sum: %.0f\n", bytes, wrong, sum);
  printf("%s\n", wrong ? "FAILED" : "PASSED");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}
