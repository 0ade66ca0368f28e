// flags: -lcuda
// One product on Hopper's tensor cores. Two tensor copies bring A (64 x 64) and B (32 x 64, so its columns are contiguous) with a swizzle of
// 128 bytes. Four wgmma of depth 16 add to the same registers. Their descriptors differ by 32 bytes, which is the depth of one of them.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int M = 64, N = 32, K = 64;

__device__ uint32_t smem_u32(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ uint64_t make_smem_desc(const half* ptr) {
  const auto encode = [](uint64_t x) { return (x & 0x3FFFF) >> 4; };
  uint64_t desc = encode(smem_u32(ptr));
  desc |= encode(16) << 16;    // leading offset: not used with a swizzle
  desc |= encode(1024) << 32;  // from eight rows to the next eight
  desc |= 1ull << 62;          // 128 bytes swizzle
  return desc;
}

__device__ void wgmma(float (&d)[4][4], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "
      "{%0,   %1,   %2,   %3,   %4,   %5,   %6,   %7,   "
      " %8,   %9,   %10,  %11,  %12,  %13,  %14,  %15}, "
      " %16, %17, 1, 1, 1, 0, 0;\n"
      : "+f"(d[0][0]), "+f"(d[0][1]), "+f"(d[0][2]), "+f"(d[0][3]), "+f"(d[1][0]), "+f"(d[1][1]),
        "+f"(d[1][2]), "+f"(d[1][3]), "+f"(d[2][0]), "+f"(d[2][1]), "+f"(d[2][2]), "+f"(d[2][3]),
        "+f"(d[3][0]), "+f"(d[3][1]), "+f"(d[3][2]), "+f"(d[3][3])
      : "l"(a), "l"(b));
}

__global__ __launch_bounds__(128) void product(const __grid_constant__ CUtensorMap map_a,
                                               const __grid_constant__ CUtensorMap map_b,
                                               float* c) {
  __shared__ alignas(1024) half a[M * K];
  __shared__ alignas(1024) half b[N * K];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(smem_u32(&bar)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem_u32(&bar)),
                 "r"(static_cast<int>(sizeof a + sizeof b))
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
        "{%2, "
        "%2}], [%3];" ::"r"(smem_u32(a)),
        "l"(&map_a), "r"(0), "r"(smem_u32(&bar))
        : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
        "{%2, "
        "%2}], [%3];" ::"r"(smem_u32(b)),
        "l"(&map_b), "r"(0), "r"(smem_u32(&bar))
        : "memory");
  }
  __syncthreads();
  asm volatile(
      "{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
      "@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(smem_u32(&bar)),
      "r"(0)
      : "memory");

  float d[4][4] = {};
  asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
  for (int k = 0; k < K; k += 16) wgmma(d, make_smem_desc(a + k), make_smem_desc(b + k));
  asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(0) : "memory");

  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = warp * 16 + lane / 4, col = lane % 4 * 2;
  for (int j = 0; j < 4; ++j) {
    c[row * N + j * 8 + col] = d[j][0];
    c[row * N + j * 8 + col + 1] = d[j][1];
    c[(row + 8) * N + j * 8 + col] = d[j][2];
    c[(row + 8) * N + j * 8 + col + 1] = d[j][3];
  }
}

CUtensorMap tensor_map(half* matrix, int rows) {
  CUtensorMap map{};
  const cuuint64_t size[] = {K, cuuint64_t(rows)}, pitch[] = {K * sizeof(half)};
  const cuuint32_t box[] = {K, cuuint32_t(rows)}, step[] = {1, 1};
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, matrix, size, pitch, box, step,
                         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                         CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

int main() {
  std::vector<int> a(M * K), b(N * K);
  std::vector<half> ha(M * K), hb(N * K);
  for (int i = 0; i < M * K; ++i) ha[i] = __float2half(float(a[i] = i * 7 % 17 - 8));
  for (int i = 0; i < N * K; ++i) hb[i] = __float2half(float(b[i] = i * 5 % 13 - 6));
  half *d_a, *d_b;
  float* d_c;
  cudaMalloc(&d_a, M * K * sizeof(half));
  cudaMalloc(&d_b, N * K * sizeof(half));
  cudaMalloc(&d_c, M * N * sizeof(float));
  cudaMemcpy(d_a, ha.data(), M * K * sizeof(half), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, hb.data(), N * K * sizeof(half), cudaMemcpyHostToDevice);
  product<<<1, 128>>>(tensor_map(d_a, M), tensor_map(d_b, N), d_c);
  std::vector<float> c(M * N);
  cudaMemcpy(c.data(), d_c, M * N * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  long sum = 0;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      int want = 0;
      for (int k = 0; k < K; ++k) want += a[m * K + k] * b[n * K + k];
      wrong += !(c[m * N + n] == float(want));
      sum += long(c[m * N + n]) * (m + 1) * (n + 2);
    }
  }
  printf("%d x %d x %d: wrong elements: %d, checksum: %ld\n", M, N, K, wrong, sum);
  printf("c[0][0] = %g, c[63][31] = %g\n%s\n", c[0], c[M * N - 1], wrong ? "FAILED" : "PASSED");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}
