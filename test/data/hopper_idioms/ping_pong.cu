// flags: -lcuda
// Ping-pong: two warpgroups take tiles of C in turn. While one multiplies, the other works on the sums of its last tile. Named barriers
// give them their turns at the tensor cores: a warpgroup waits for its own barrier and arrives at the other's barrier when its products are done.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int TILES_M = 3, TILES_N = 3, BM = 64, BN = 16, BK = 32, STAGES = 3, STEPS = 4;
constexpr int M = TILES_M * BM, N = TILES_N * BN, K = STEPS * BK;
constexpr int TILES = TILES_M * TILES_N;

struct alignas(512) Stage {  // rows of 64 bytes
  __half a[BM * BK];
  __half b[BN * BK];
};

__device__ inline uint32_t s_addr(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ inline void mbar_wait(uint32_t bar, uint32_t parity) {
  uint32_t done;
  do {
    asm volatile(
        "{\n  .reg .pred p;\n"
        "  mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "  selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(bar), "r"(parity)
        : "memory");
  } while (!done);
}

__device__ inline uint64_t describe(const __half* p) {
  return uint64_t(s_addr(p) >> 4) | uint64_t(512 >> 4) << 32 | uint64_t(2) << 62;
}

// Barrier 1 is the turn of warpgroup 0, barrier 2 the turn of warpgroup 1. Both warpgroups come to each of them.
__device__ inline void wait_for_turn(int group) {
  asm volatile("bar.sync %0, 256;" ::"r"(group + 1) : "memory");
}
__device__ inline void give_turn_to(int group) {
  asm volatile("bar.arrive %0, 256;" ::"r"(group + 1) : "memory");
}

__global__ void __launch_bounds__(384)
    ping_pong(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
              float* c) {
  __shared__ Stage stages[STAGES];
  __shared__ __align__(8) uint64_t full[STAGES], empty[STAGES];
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(s_addr(full + s)), "r"(1));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(s_addr(empty + s)), "r"(4));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  const int group = threadIdx.x / 128, thread = threadIdx.x % 128;

  if (group == 2) {  // the producer fills the stages of all tiles, in the order of the tiles
    if (thread == 0) {
      int fill = 0;
      for (int tile = 0; tile < TILES; ++tile) {
        for (int step = 0; step < STEPS; ++step, ++fill) {
          const int s = fill % STAGES;
          const uint32_t bar = s_addr(full + s);
          mbar_wait(s_addr(empty + s), (fill / STAGES + 1) & 1);
          asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar),
                       "r"((BM + BN) * BK * 2)
                       : "memory");
          asm volatile(
              "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
              "[%1, {%2, %3}], [%4];" ::"r"(s_addr(stages[s].a)),
              "l"(&map_a), "r"(step * BK), "r"(tile / TILES_N * BM), "r"(bar)
              : "memory");
          asm volatile(
              "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
              "[%1, {%2, %3}], [%4];" ::"r"(s_addr(stages[s].b)),
              "l"(&map_b), "r"(step * BK), "r"(tile % TILES_N * BN), "r"(bar)
              : "memory");
        }
      }
    }
    return;
  }

  if (group == 1) give_turn_to(0);  // warpgroup 0 begins
  for (int tile = group; tile < TILES; tile += 2) {
    float d[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    wait_for_turn(group);
    for (int step = 0; step < STEPS; ++step) {
      const int fill = tile * STEPS + step, s = fill % STAGES;
      mbar_wait(s_addr(full + s), fill / STAGES & 1);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
      for (int k = 0; k < BK; k += 16)
        asm volatile(
            "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, "
            "%8, %9, 1, 1, 1, 0, 0;"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
              "+f"(d[7])
            : "l"(describe(stages[s].a + k)), "l"(describe(stages[s].b + k)));
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      __syncwarp();
      if (thread % 32 == 0)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(s_addr(empty + s))
                     : "memory");
    }
    // The other warpgroup has no turn left after its last tile.
    if (tile + 1 < TILES) give_turn_to(1 - group);
    const int row = tile / TILES_N * BM + thread / 32 * 16 + thread % 32 / 4;
    const int col = tile % TILES_N * BN + thread % 4 * 2;
    for (int i = 0; i < 8; ++i) {
      const float x = d[i];
      c[(row + i / 2 % 2 * 8) * N + col + i / 4 * 8 + i % 2] = x < 0 ? x * 0.125f : x;
    }
  }
}

int main() {
  std::vector<__half> a(M * K), b(N * K);
  std::vector<float> c(M * N);
  for (int i = 0; i < M * K; ++i) a[i] = __float2half(float(i % 21 - 10));
  for (int i = 0; i < N * K; ++i) b[i] = __float2half(float(i * 3 % 25 - 12));
  __half *d_a, *d_b;
  float* d_c;
  cudaMalloc(&d_a, a.size() * 2);
  cudaMalloc(&d_b, b.size() * 2);
  cudaMalloc(&d_c, c.size() * 4);
  cudaMemcpy(d_a, a.data(), a.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), b.size() * 2, cudaMemcpyHostToDevice);
  const auto map_of = [](void* matrix, cuuint64_t rows, cuuint32_t box_rows) {
    CUtensorMap map;
    const cuuint64_t size[] = {K, rows}, pitch[] = {K * 2};
    const cuuint32_t box[] = {BK, box_rows}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, matrix, size, pitch, box,
                               step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_64B,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
      printf("FAILED: the map is refused\n");
    return map;
  };
  ping_pong<<<1, 384>>>(map_of(d_a, M, BM), map_of(d_b, N, BN), d_c);
  cudaMemcpy(c.data(), d_c, c.size() * 4, cudaMemcpyDeviceToHost);
  int wrong = 0, negative = 0;
  double sum = 0;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      int want = 0;
      for (int k = 0; k < K; ++k) want += ((m * K + k) % 21 - 10) * ((n * K + k) * 3 % 25 - 12);
      const float x = want < 0 ? want * 0.125f : float(want);
      wrong += !(c[m * N + n] == x);
      negative += want < 0;
      sum += c[m * N + n];
    }
  }
  printf("tiles: %d, wrong elements: %d, negative: %d\nsum: %.3f\n", TILES, wrong, negative, sum);
  printf("%s\n", wrong ? "FAILED" : "PASSED");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}
