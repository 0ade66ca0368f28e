// flags: -lcuda
// Persistent blocks: the grid has fewer blocks than C has tiles, and each block takes every gridDim.x-th tile. The barriers and their phases go on from tile
// to tile, so the producer already loads the next tile while the consumers finish this one. The sums leave through a tensor copy.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int M = 192, N = 80, K = 96;
constexpr int BM = 64, BN = 16, BK = 32, STAGES = 3, BLOCKS = 4;
constexpr int TILES_M = M / BM, TILES_N = N / BN, STEPS = K / BK;

using bf16 = __nv_bfloat16;

struct Smem {
  alignas(512) bf16 a[STAGES][BM * BK];
  alignas(512) bf16 b[STAGES][BN * BK];
  alignas(128) float c[BM * BN];
  uint64_t full[STAGES], empty[STAGES];
};

// The place in the ring of stages, with the parity of the round.
struct State {
  int stage = 0;
  uint32_t parity = 0;
  __device__ void operator++() {
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
};

__device__ uint32_t sp(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }
__device__ void wait(uint64_t& bar, uint32_t parity) {
  uint32_t complete;
  do {
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(complete)
        : "r"(sp(&bar)), "r"(parity)
        : "memory");
  } while (!complete);
}

__global__ __launch_bounds__(160) void product(const __grid_constant__ CUtensorMap map_a,
                                               const __grid_constant__ CUtensorMap map_b,
                                               const __grid_constant__ CUtensorMap map_c) {
  __shared__ Smem s;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sp(&s.full[i])), "r"(1)
                   : "memory");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sp(&s.empty[i])), "r"(4)
                   : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  State state;
  if (warp == 4) {
    if (lane == 0) {
      for (int tile = blockIdx.x; tile < TILES_M * TILES_N; tile += gridDim.x) {
        for (int step = 0; step < STEPS; ++step, ++state) {
          wait(s.empty[state.stage], state.parity ^ 1);
          const uint32_t bar = sp(&s.full[state.stage]);
          asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar),
                       "r"((BM + BN) * BK * 2)
                       : "memory");
          asm volatile(
              "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
              "[%1, {%2, %3}], [%4];" ::"r"(sp(s.a[state.stage])),
              "l"(&map_a), "r"(step * BK), "r"(tile / TILES_N * BM), "r"(bar)
              : "memory");
          asm volatile(
              "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
              "[%1, {%2, %3}], [%4];" ::"r"(sp(s.b[state.stage])),
              "l"(&map_b), "r"(step * BK), "r"(tile % TILES_N * BN), "r"(bar)
              : "memory");
        }
      }
    }
    return;
  }
  for (int tile = blockIdx.x; tile < TILES_M * TILES_N; tile += gridDim.x) {
    float d[8] = {};
    for (int step = 0; step < STEPS; ++step, ++state) {
      wait(s.full[state.stage], state.parity);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      for (int k = 0; k < BK; k += 16) {
        const uint64_t kind = uint64_t{512 >> 4} << 32 | uint64_t{2} << 62;
        asm volatile(
            "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, "
            "%7}, %8, %9, 1, 1, 1, 0, 0;"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
              "+f"(d[7])
            : "l"(kind | sp(s.a[state.stage] + k) >> 4), "l"(kind | sp(s.b[state.stage] + k) >> 4));
      }
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      if (lane == 0)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sp(&s.empty[state.stage]))
                     : "memory");
      __syncwarp();
    }
    // The last tile's store must have read the tile in shared memory.
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    asm volatile("bar.sync 1, 128;" ::: "memory");
    for (int i = 0; i < 8; ++i)
      s.c[(warp * 16 + lane / 4 + (i & 2) * 4) * BN + (i & 4) * 2 + lane % 4 * 2 + (i & 1)] = d[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (threadIdx.x == 0) {
      asm volatile(
          "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
              &map_c),
          "r"(tile % TILES_N * BN), "r"(tile / TILES_N * BM), "r"(sp(s.c))
          : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
  }
  if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

template <typename T>
CUtensorMap map_of(CUtensorMapDataType type, T* matrix, int rows, int cols, int box_rows,
                   int box_cols, CUtensorMapSwizzle swizzle) {
  CUtensorMap map;
  const cuuint64_t size[] = {cuuint64_t(cols), cuuint64_t(rows)}, pitch[] = {cols * sizeof(T)};
  const cuuint32_t box[] = {cuuint32_t(box_cols), cuuint32_t(box_rows)}, step[] = {1, 1};
  if (cuTensorMapEncodeTiled(
          &map, type, 2, matrix, size, pitch, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
          CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    printf("FAILED: a map is refused\n");
  return map;
}

int main() {
  std::vector<bf16> a(M * K), b(N * K);
  std::vector<float> c(M * N);
  for (int i = 0; i < M * K; ++i) a[i] = __float2bfloat16(float(i * 5 % 31 - 15));
  for (int i = 0; i < N * K; ++i) b[i] = __float2bfloat16(float(i * 11 % 25 - 12));
  bf16 *d_a, *d_b;
  float* d_c;
  cudaMalloc(&d_a, a.size() * 2);
  cudaMalloc(&d_b, b.size() * 2);
  cudaMalloc(&d_c, c.size() * 4);
  cudaMemcpy(d_a, a.data(), a.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), b.size() * 2, cudaMemcpyHostToDevice);
  product<<<BLOCKS, 160>>>(
      map_of(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, d_a, M, K, BM, BK, CU_TENSOR_MAP_SWIZZLE_64B),
      map_of(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, d_b, N, K, BN, BK, CU_TENSOR_MAP_SWIZZLE_64B),
      map_of(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, d_c, M, N, BM, BN, CU_TENSOR_MAP_SWIZZLE_NONE));
  cudaMemcpy(c.data(), d_c, c.size() * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  double sum = 0;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      int want = 0;
      for (int k = 0; k < K; ++k)
        want += ((m * K + k) * 5 % 31 - 15) * ((n * K + k) * 11 % 25 - 12);
      wrong += !(c[m * N + n] == float(want));
      sum += c[m * N + n] * (m % 4 + n % 3);
    }
  }
  printf("tiles: %d, blocks: %d\nwrong elements: %d, weighted sum: %.0f\n", TILES_M * TILES_N,
         BLOCKS, wrong, sum);
  printf("%s\n", wrong ? "FAILED" : "PASSED");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}
