// flags: -lcuda
// Stream-K: the steps of all tiles form one line, and each block takes an equal piece of it. A tile that several blocks share is put together by the block that
// has its first step. The others store their partial sums to a workspace and set a flag, for which the first block waits.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int M = 128, N = 48, K = 160, BM = 64, BN = 16, BK = 32;
constexpr int TILES_N = N / BN, TILES = M / BM * TILES_N, STEPS = K / BK;  // 6 tiles of 5 steps
constexpr int BLOCKS = 8, STAGES = 2;  // a block has 3 or 4 steps

struct alignas(512) Shared {
  __half a[STAGES][BM * BK], b[STAGES][BN * BK];
  uint64_t full[STAGES], empty[STAGES];
};

__device__ __forceinline__ uint32_t address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void wait(uint64_t* bar, uint32_t parity) {
  asm volatile(
      "{\n.reg .pred p;\nTRY: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra "
      "OVER;\nbra TRY;\nOVER:\n}" ::"r"(address(bar)),
      "r"(parity)
      : "memory");
}
// The first step of a block.
__host__ __device__ constexpr int first_step(int block) { return TILES * STEPS * block / BLOCKS; }

__global__ __launch_bounds__(256) void product(const __grid_constant__ CUtensorMap map_a,
                                               const __grid_constant__ CUtensorMap map_b, float* c,
                                               float* workspace, int* flags) {
  __shared__ Shared s;
  const int begin = first_step(blockIdx.x), end = first_step(blockIdx.x + 1);
  if (threadIdx.x == 0) {
#pragma unroll
    for (int i = 0; i < STAGES; ++i) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(s.full + i)), "r"(1));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(s.empty + i)), "r"(128));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x >= 128) {
    if (threadIdx.x == 128) {
      for (int at = begin; at < end; ++at) {
        const int i = at - begin, stage = i % STAGES, tile = at / STEPS;
        wait(s.empty + stage, (i / STAGES + 1) % 2);
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(s.full + stage)),
            "r"((BM + BN) * BK * 2)
            : "memory");
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
            "[%1, {%2, %3}], [%4];" ::"r"(address(s.a[stage])),
            "l"(&map_a), "r"(at % STEPS * BK), "r"(tile / TILES_N * BM),
            "r"(address(s.full + stage))
            : "memory");
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
            "[%1, {%2, %3}], [%4];" ::"r"(address(s.b[stage])),
            "l"(&map_b), "r"(at % STEPS * BK), "r"(tile % TILES_N * BN),
            "r"(address(s.full + stage))
            : "memory");
      }
    }
    return;
  }
  const int t = threadIdx.x;
  int i = 0;
  for (int at = begin; at < end;) {
    const int tile = at / STEPS, tile_end = min((tile + 1) * STEPS, end);
    const bool has_first = at % STEPS == 0, has_last = tile_end == (tile + 1) * STEPS;
    float d[8];
#pragma unroll
    for (float& x : d) x = 0;
    for (; at < tile_end; ++at, ++i) {
      const int stage = i % STAGES;
      wait(s.full + stage, i / STAGES % 2);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
      for (int k = 0; k < BK; k += 16) {
        const uint64_t fields = uint64_t{512 >> 4} << 32 | uint64_t{2} << 62;
        asm volatile(
            "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, "
            "%8, %9, 1, 1, 1, 0, 0;"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
              "+f"(d[7])
            : "l"(fields | address(s.a[stage] + k) >> 4),
              "l"(fields | address(s.b[stage] + k) >> 4));
      }
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(s.empty + stage))
                   : "memory");
    }
    if (!has_first) {  // another block puts the tile together
      for (int j = 0; j < 8; ++j) workspace[(blockIdx.x * 8 + j) * 128 + t] = d[j];
      __threadfence();
      asm volatile("bar.sync 1, 128;" ::: "memory");
      if (t == 0) atomicExch(&flags[blockIdx.x], 1);
      continue;
    }
    if (!has_last) {
      for (int other = blockIdx.x + 1; first_step(other) < (tile + 1) * STEPS; ++other) {
        if (t == 0) {
          while (atomicAdd(&flags[other], 0) == 0) __nanosleep(100);
          __threadfence();
        }
        asm volatile("bar.sync 1, 128;" ::: "memory");
        for (int j = 0; j < 8; ++j) d[j] += workspace[(other * 8 + j) * 128 + t];
      }
    }
    const int row = tile / TILES_N * BM + t / 32 * 16 + t % 32 / 4,
              col = tile % TILES_N * BN + t % 4 * 2;
    for (int j = 0; j < 8; ++j) c[(row + j / 2 % 2 * 8) * N + col + j / 4 * 8 + j % 2] = d[j];
  }
}

int main() {
  std::vector<__half> a(M * K), b(N * K);
  std::vector<float> c(M * N);
  for (int i = 0; i < M * K; ++i) a[i] = __int2half_rn(i * 29 % 35 - 17);
  for (int i = 0; i < N * K; ++i) b[i] = __int2half_rn(i * 13 % 21 - 10);
  __half *d_a, *d_b;
  float *d_c, *d_workspace;
  int* d_flags;
  cudaMalloc(&d_a, a.size() * 2);
  cudaMalloc(&d_b, b.size() * 2);
  cudaMalloc(&d_c, c.size() * 4);
  cudaMalloc(&d_workspace, BLOCKS * 8 * 128 * 4);
  cudaMalloc(&d_flags, BLOCKS * 4);
  cudaMemset(d_flags, 0, BLOCKS * 4);
  cudaMemcpy(d_a, a.data(), a.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), b.size() * 2, cudaMemcpyHostToDevice);
  const auto map_of = [](__half* p, cuuint64_t rows, cuuint32_t box_rows) {
    CUtensorMap map;
    const cuuint64_t size[] = {K, rows}, pitch[] = {K * 2};
    const cuuint32_t box[] = {BK, box_rows}, step[] = {1, 1};
    if (CUDA_SUCCESS !=
        cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, p, size, pitch, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_64B,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
      printf("FAILED: the map is refused\n");
    return map;
  };
  product<<<BLOCKS, 256>>>(map_of(d_a, M, BM), map_of(d_b, N, BN), d_c, d_workspace, d_flags);
  cudaMemcpy(c.data(), d_c, c.size() * 4, cudaMemcpyDeviceToHost);
  int wrong = 0, shared = 0;
  for (int block = 1; block < BLOCKS; ++block) shared += first_step(block) % STEPS != 0;
  double sum = 0;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      int want = 0;
      for (int k = 0; k < K; ++k)
        want += ((m * K + k) * 29 % 35 - 17) * ((n * K + k) * 13 % 21 - 10);
      wrong += !(c[m * N + n] == (float)want);
      sum += c[m * N + n] * (n % 6);
    }
  }
  printf("tiles: %d, blocks: %d, pieces that begin inside a tile: %d\n", TILES, BLOCKS, shared);
  printf("wrong elements: %d, weighted sum: %.0f\n%s\n", wrong, sum, wrong ? "FAILED" : "PASSED");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
  cudaFree(d_workspace);
  cudaFree(d_flags);
}
