// flags: -lcuda
// A block of three warpgroups gives the producer's registers to the two consumers: setmaxnreg takes all but 40 from the producer and lets each consumer
// have 232. Each warpgroup executes its own instruction. The sum of all registers is what the launch gave.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int M = 256, N = 64, K = 128;
constexpr int BM = 128, BN = 64, BK = 32, STAGES = 4;

__device__ __forceinline__ uint32_t cvta_shared(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

template <uint32_t COUNT>
__device__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" : : "n"(COUNT));
}
template <uint32_t COUNT>
__device__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" : : "n"(COUNT));
}

struct Pipeline {
  uint64_t full[STAGES], empty[STAGES];
  __device__ static void wait(uint64_t& bar, uint32_t parity) {
    asm volatile(
        "{\n"
        ".reg .pred P1;\n"
        "LAB_WAIT:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
        "@P1 bra DONE;\n"
        "bra LAB_WAIT;\n"
        "DONE:\n"
        "}" ::"r"(cvta_shared(&bar)),
        "r"(parity)
        : "memory");
  }
};

struct Tiles {
  alignas(512) __half a[STAGES][BM][BK];
  alignas(512) __half b[STAGES][BN][BK];
};

__global__ __launch_bounds__(384, 1) void product(const __grid_constant__ CUtensorMap map_a,
                                                  const __grid_constant__ CUtensorMap map_b,
                                                  float* __restrict__ c) {
  extern __shared__ __align__(1024) uint8_t memory[];
  Tiles& tiles = *reinterpret_cast<Tiles*>(memory + (1024 - cvta_shared(memory) % 1024) % 1024);
  __shared__ Pipeline pipe;
  const int warpgroup = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(cvta_shared(&pipe.full[s])),
                   "r"(1));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(cvta_shared(&pipe.empty[s])),
                   "r"(256));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  const int row0 = blockIdx.x * BM;
  if (warpgroup == 0) {
    give_registers<40>();
    if (threadIdx.x / 32 == 0) {
      uint32_t elected;
      asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}"
                   : "=r"(elected));
      if (elected) {
        int s = 0;
        uint32_t parity = 1;
        for (int k = 0; k < K; k += BK) {
          Pipeline::wait(pipe.empty[s], parity);
          const uint32_t full = cvta_shared(&pipe.full[s]);
          asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full),
                       "r"(static_cast<uint32_t>(sizeof tiles.a[0] + sizeof tiles.b[0]))
                       : "memory");
          asm volatile(
              "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
              "[%1, {%3, %4}], [%2];" ::"r"(cvta_shared(tiles.a[s])),
              "l"(&map_a), "r"(full), "r"(k), "r"(row0)
              : "memory");
          asm volatile(
              "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
              "[%1, {%3, %4}], [%2];" ::"r"(cvta_shared(tiles.b[s])),
              "l"(&map_b), "r"(full), "r"(k), "r"(0)
              : "memory");
          if (++s == STAGES) s = 0, parity ^= 1;
        }
      }
    }
  } else {
    take_registers<232>();
    float d[32];
    const int row = (warpgroup - 1) * 64;
    int s = 0;
    uint32_t parity = 0;
    for (int k = 0; k < K; k += BK) {
      Pipeline::wait(pipe.full[s], parity);
      asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
#pragma unroll
      for (int kk = 0; kk < BK; kk += 16) {
        const uint64_t fields = static_cast<uint64_t>(512 >> 4) << 32 | static_cast<uint64_t>(2)
                                                                            << 62;
        const uint64_t da = fields | cvta_shared(&tiles.a[s][row][kk]) >> 4;
        const uint64_t db = fields | cvta_shared(&tiles.b[s][0][kk]) >> 4;
        asm volatile(
            "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
            "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
            "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "
            "%19, %20, %21, %22, "
            "%23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p, 1, 1, 0, 0;\n}"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
              "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]),
              "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]),
              "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
              "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]),
              "+f"(d[31])
            : "l"(da), "l"(db), "r"(k + kk));
      }
      asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 0;\n" ::: "memory");
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(cvta_shared(&pipe.empty[s]))
                   : "memory");
      if (++s == STAGES) s = 0, parity ^= 1;
    }
    const int thread = threadIdx.x % 128;
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      const int m = row0 + row + thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
      c[m * N + i / 4 * 8 + thread % 4 * 2 + i % 2] = d[i];
    }
  }
}

CUtensorMap encode(__half* p, int rows, int box_rows) {
  CUtensorMap map;
  const cuuint64_t size[] = {K, static_cast<cuuint64_t>(rows)}, pitch[] = {K * sizeof(__half)};
  const cuuint32_t box[] = {BK, static_cast<cuuint32_t>(box_rows)}, step[] = {1, 1};
  const CUresult result =
      cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, p, size, pitch, box, step,
                             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_64B,
                             CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) printf("FAILED: the map is refused\n");
  return map;
}

int main() {
  std::vector<__half> a(M * K), b(N * K);
  std::vector<float> c(M * N);
  for (int i = 0; i < M * K; ++i) a[i] = __int2half_rn(i % 9 - 4);
  for (int i = 0; i < N * K; ++i) b[i] = __int2half_rn(i * i % 15 - 7);
  __half *d_a, *d_b;
  float* d_c;
  cudaMalloc(&d_a, a.size() * 2);
  cudaMalloc(&d_b, b.size() * 2);
  cudaMalloc(&d_c, c.size() * 4);
  cudaMemcpy(d_a, a.data(), a.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), b.size() * 2, cudaMemcpyHostToDevice);
  const int bytes = sizeof(Tiles) + 1024;
  cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  product<<<M / BM, 384, bytes>>>(encode(d_a, M, BM), encode(d_b, N, BN), d_c);
  cudaMemcpy(c.data(), d_c, c.size() * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  long sum = 0;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      int want = 0;
      for (int k = 0; k < K; ++k)
        want += ((m * K + k) % 9 - 4) * ((n * K + k) * (n * K + k) % 15 - 7);
      wrong += c[m * N + n] != static_cast<float>(want);
      sum += static_cast<long>(c[m * N + n]) * (m % 5 + n % 7);
    }
  }
  printf("wrong elements: %d of %d, weighted sum: %ld\n%s\n", wrong, M * N, sum,
         wrong ? "FAILED" : "PASSED");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}
