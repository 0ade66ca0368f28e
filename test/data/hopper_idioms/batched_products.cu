// flags: -lcuda
// Many small products in one launch. The matrices lie in a tensor of three dimensions, and a block takes the matrix of its number with the third
// coordinate. So one tensor map serves all matrices, and a box never reaches into the next matrix: its last rows arrive as zeros.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int BATCH = 7, M = 40, N = 24, K = 32;  // M is less than the 64 rows of a tile

__device__ inline unsigned shared_of(const void* p) {
  return unsigned(__cvta_generic_to_shared(p));
}

__global__ void products(const __grid_constant__ CUtensorMap a,
                         const __grid_constant__ CUtensorMap b, float* c) {
  __shared__ alignas(512) half tile_a[64][K];
  __shared__ alignas(512) half tile_b[N][K];
  __shared__ unsigned long long bar;
  const unsigned mbar = shared_of(&bar);
  if (threadIdx.x == 0) {
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.mbarrier_init.release.cluster;" ::"r"(mbar)
        : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(mbar),
                 "r"((64 + N) * K * 2)
                 : "memory");
#define LOAD(tile, map)                                                                         \
  asm volatile(                                                                                 \
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, " \
      "{%2, %2, %3}], [%4];" ::"r"(shared_of(tile)),                                            \
      "l"(&map), "r"(0), "r"(blockIdx.x), "r"(mbar)                                             \
      : "memory")
    LOAD(tile_a, a);
    LOAD(tile_b, b);
#undef LOAD
  }
  __syncthreads();
  unsigned ok = 0;
  while (!ok) {
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.b32 %0, 1, "
        "0, p;\n}"
        : "=r"(ok)
        : "r"(mbar)
        : "memory");
  }
  float d[3][4];
  const auto describe = [](const half* p) {
    return uint64_t{shared_of(p) >> 4} | uint64_t{32} << 32 | uint64_t{2} << 62;
  };
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int k = 0; k < K; k += 16) {
    asm volatile(
        "{\n.reg .pred add;\nsetp.gt.s32 add, %14, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n24k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11}, %12, %13, add, 1, 1, 0, 0;\n}"
        : "+f"(d[0][0]), "+f"(d[0][1]), "+f"(d[0][2]), "+f"(d[0][3]), "+f"(d[1][0]), "+f"(d[1][1]),
          "+f"(d[1][2]), "+f"(d[1][3]), "+f"(d[2][0]), "+f"(d[2][1]), "+f"(d[2][2]), "+f"(d[2][3])
        : "l"(describe(&tile_a[0][k])), "l"(describe(&tile_b[0][k])), "r"(k));
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, col = threadIdx.x % 4 * 2;
  float* mine = c + blockIdx.x * M * N;
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 4; ++i) {
      const int m = row + i / 2 * 8;
      if (m < M) mine[m * N + j * 8 + col + i % 2] = d[j][i];
    }
  }
}

int main() {
  std::vector<half> a(BATCH * M * K), b(BATCH * N * K);
  std::vector<float> c(BATCH * M * N);
  for (size_t i = 0; i < a.size(); ++i) a[i] = __float2half(float(i * 31 % 27) - 13);
  for (size_t i = 0; i < b.size(); ++i) b[i] = __float2half(float(i * 17 % 23) - 11);
  half *d_a, *d_b;
  float* d_c;
  cudaMalloc(&d_a, a.size() * sizeof(half));
  cudaMalloc(&d_b, b.size() * sizeof(half));
  cudaMalloc(&d_c, c.size() * sizeof(float));
  cudaMemcpy(d_a, a.data(), a.size() * sizeof(half), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), b.size() * sizeof(half), cudaMemcpyHostToDevice);
  CUtensorMap maps[2];
  for (int which = 0; which < 2; ++which) {
    const cuuint64_t rows = which == 0 ? M : N;
    const cuuint64_t size[] = {K, rows, BATCH},
                     pitch[] = {K * sizeof(half), rows * K * sizeof(half)};
    const cuuint32_t box[] = {K, which == 0 ? 64u : unsigned(N), 1}, step[] = {1, 1, 1};
    const CUresult result = cuTensorMapEncodeTiled(
        &maps[which], CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, which == 0 ? d_a : d_b, size, pitch, box,
        step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_64B,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) return printf("FAILED: map %d is refused\n", which), 1;
  }
  products<<<BATCH, 128>>>(maps[0], maps[1], d_c);
  cudaMemcpy(c.data(), d_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int matrix = 0; matrix < BATCH; ++matrix) {
    double sum = 0;
    for (int m = 0; m < M; ++m) {
      for (int n = 0; n < N; ++n) {
        float want = 0;
        for (int k = 0; k < K; ++k) {
          want +=
              __half2float(a[(matrix * M + m) * K + k]) * __half2float(b[(matrix * N + n) * K + k]);
        }
        const float got = c[(matrix * M + m) * N + n];
        wrong += !(got == want);
        sum += got;
      }
    }
    printf("product %d: sum %.0f\n", matrix, sum);
  }
  printf("wrong elements: %d\n%s\n", wrong, wrong ? "FAILED" : "PASSED");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}
