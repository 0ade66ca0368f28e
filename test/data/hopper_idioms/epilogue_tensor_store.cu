// flags: -lcuda
// The sums of a product leave through shared memory: the threads put them as halves into a tile with a swizzle of 128 bytes, and a tensor copy stores
// the tile. Before the copy each thread executes fence.proxy.async, and the threads meet. The tile reaches beyond C at two edges.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int M = 100, N = 104, K = 16, BM = 64, BN = 64;

__device__ static inline uint32_t smem(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

struct Smem {
  alignas(1024) __half c[BM * BN];
  alignas(256) __half a[BM * K];  // rows of 32 bytes
  alignas(256) __half b[BN * K];
  uint64_t full;
};

__global__ __launch_bounds__(128) void product(const __grid_constant__ CUtensorMap a,
                                               const __grid_constant__ CUtensorMap b,
                                               const __grid_constant__ CUtensorMap c) {
  __shared__ Smem s;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN, t = threadIdx.x;
  if (t == 0) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&a) : "memory");
    asm volatile("prefetch.tensormap [%0];" ::"l"(&b) : "memory");
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(smem(&s.full)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem(&s.full)),
                 "r"((BM + BN) * K * 2)
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
        "{%2, %3}], [%4];" ::"r"(smem(s.a)),
        "l"(&a), "r"(0), "r"(row0), "r"(smem(&s.full))
        : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
        "{%2, %3}], [%4];" ::"r"(smem(s.b)),
        "l"(&b), "r"(0), "r"(col0), "r"(smem(&s.full))
        : "memory");
  }
  __syncthreads();
  asm volatile(
      "{\n.reg .pred P;\nL_%=: mbarrier.try_wait.parity.shared::cta.b64 P, [%0], 0;\n@!P bra "
      "L_%=;\n}" ::"r"(smem(&s.full))
      : "memory");
  float d[32];
  const uint64_t common = uint64_t(256 >> 4) << 32 | uint64_t(3) << 62;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "
      "%20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 0, 1, 1, 0, 0;"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]), "=f"(d[4]), "=f"(d[5]), "=f"(d[6]),
        "=f"(d[7]), "=f"(d[8]), "=f"(d[9]), "=f"(d[10]), "=f"(d[11]), "=f"(d[12]), "=f"(d[13]),
        "=f"(d[14]), "=f"(d[15]), "=f"(d[16]), "=f"(d[17]), "=f"(d[18]), "=f"(d[19]), "=f"(d[20]),
        "=f"(d[21]), "=f"(d[22]), "=f"(d[23]), "=f"(d[24]), "=f"(d[25]), "=f"(d[26]), "=f"(d[27]),
        "=f"(d[28]), "=f"(d[29]), "=f"(d[30]), "=f"(d[31])
      : "l"(common | smem(s.a) >> 4), "l"(common | smem(s.b) >> 4)
      : "memory");
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");

  // Eight columns are one piece of 16 bytes, and a row has eight pieces.
#pragma unroll
  for (int i = 0; i < 32; i += 2) {
    const int row = t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8, piece = (i / 4) ^ row % 8;
    *reinterpret_cast<__half2*>(&s.c[row * BN + piece * 8 + t % 4 * 2]) =
        __floats2half2_rn(d[i], d[i + 1]);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (t == 0) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&c),
        "r"(col0), "r"(row0), "r"(smem(s.c))
        : "memory");
    asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

static CUtensorMap map_of(__half* matrix, int rows, int cols, int box_rows, int box_cols,
                          CUtensorMapSwizzle swizzle) {
  CUtensorMap map{};
  const cuuint64_t size[] = {cuuint64_t(cols), cuuint64_t(rows)}, pitch[] = {cols * sizeof(__half)};
  const cuuint32_t box[] = {cuuint32_t(box_cols), cuuint32_t(box_rows)}, step[] = {1, 1};
  if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, matrix, size, pitch, box,
                             step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                             CU_TENSOR_MAP_L2_PROMOTION_NONE,
                             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    printf("FAILED: the map is refused\n");
  return map;
}

int main() {
  std::vector<__half> a(M * K), b(N * K), c(M * N);
  const auto value = [](int row, int k, int salt) { return (row * 7 + k * salt) % 13 - 6; };
  for (int i = 0; i < M * K; ++i) a[i] = __int2half_rn(value(i / K, i % K, 3));
  for (int i = 0; i < N * K; ++i) b[i] = __int2half_rn(value(i / K, i % K, 5));
  __half *d_a, *d_b, *d_c;
  cudaMalloc(&d_a, a.size() * 2);
  cudaMalloc(&d_b, b.size() * 2);
  cudaMalloc(&d_c, c.size() * 2);
  cudaMemcpy(d_a, a.data(), a.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), b.size() * 2, cudaMemcpyHostToDevice);
  const dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
  product<<<grid, 128>>>(map_of(d_a, M, K, BM, K, CU_TENSOR_MAP_SWIZZLE_32B),
                         map_of(d_b, N, K, BN, K, CU_TENSOR_MAP_SWIZZLE_32B),
                         map_of(d_c, M, N, BM, BN, CU_TENSOR_MAP_SWIZZLE_128B));
  cudaMemcpy(c.data(), d_c, c.size() * 2, cudaMemcpyDeviceToHost);
  int wrong = 0;
  long sum = 0;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      int want = 0;
      for (int k = 0; k < K; ++k) want += value(m, k, 3) * value(n, k, 5);
      const float got = __half2float(c[m * N + n]);
      wrong += !(got == static_cast<float>(want));
      sum += static_cast<long>(got) * (m - n);
    }
  }
  printf("%d x %d, wrong elements: %d, weighted sum: %ld\n", M, N, wrong, sum);
  printf("%s\n", wrong ? "FAILED" : "PASSED");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}
