// flags: -lcuda
// A product in TF32. A step of k has eight numbers, 32 bytes, so each step's tile fits a swizzle of 32 bytes. One box of a tensor with three
// dimensions brings all steps: the steps of k are the outermost dimension, and each step is a tile of its own in shared memory.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int M = 64, N = 16, K = 40, STEP = 8;

__device__ inline uint32_t u32(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

union Descriptor {
  uint64_t word;
  struct {
    uint16_t start : 14, : 2;
    uint16_t leading : 14, : 2;
    uint16_t stride : 14, : 2;
    uint8_t : 1, base_offset : 3, : 4;
    uint8_t : 6, layout : 2;
  } field;
};

__device__ uint64_t tile(const float* first) {
  Descriptor d;
  d.word = 0;
  d.field.start = u32(first) >> 4;
  d.field.stride = 8 * 32 >> 4;
  d.field.layout = 3;  // 32 bytes swizzle
  return d.word;
}

__global__ void product(const __grid_constant__ CUtensorMap map_a,
                        const __grid_constant__ CUtensorMap map_b, float* c) {
  __shared__ alignas(256) float a[K / STEP][M][STEP];
  __shared__ alignas(256) float b[K / STEP][N][STEP];
  __shared__ uint64_t bar;
  if (threadIdx.x == 96) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(u32(&bar)));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(u32(&bar)),
                 "r"(uint32_t(sizeof a + sizeof b))
                 : "memory");
    const auto load = [](void* to, const CUtensorMap& map) {
      asm volatile(
          "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
          " [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(u32(to)),
          "l"(&map), "r"(0), "r"(0), "r"(0), "r"(u32(&bar))
          : "memory");
    };
    load(a, map_a);
    load(b, map_b);
  }
  __syncthreads();
  uint32_t done = 0;
  while (!done)
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, "
        "0, p;\n}"
        : "=r"(done)
        : "r"(u32(&bar))
        : "memory");

  float4 d0, d1;  // the first wgmma does not read them
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int step = 0; step < K / STEP; ++step) {
    asm volatile(
        "{\n.reg .pred add;\nsetp.ne.u32 add, %10, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32"
        " {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, add, 1, 1;\n}"
        : "+f"(d0.x), "+f"(d0.y), "+f"(d0.z), "+f"(d0.w), "+f"(d1.x), "+f"(d1.y), "+f"(d1.z),
          "+f"(d1.w)
        : "l"(tile(&a[step][0][0])), "l"(tile(&b[step][0][0])), "r"(step));
  }
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  float* at = c + (threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4) * N + threadIdx.x % 4 * 2;
  at[0] = d0.x, at[1] = d0.y, at[8 * N] = d0.z, at[8 * N + 1] = d0.w;
  at[8] = d1.x, at[9] = d1.y, at[8 * N + 8] = d1.z, at[8 * N + 9] = d1.w;
}

// Element (k % 8, row, k / 8) of the tensor is element (row, k) of the matrix.
CUtensorMap map_of(float* matrix, cuuint32_t rows) {
  CUtensorMap map;
  const cuuint64_t size[] = {STEP, rows, K / STEP}, pitch[] = {K * 4, STEP * 4};
  const cuuint32_t box[] = {STEP, rows, K / STEP}, step[] = {1, 1, 1};
  const CUresult r =
      cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, matrix, size, pitch, box,
                             step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_32B,
                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (r != CUDA_SUCCESS) printf("FAILED: cuTensorMapEncodeTiled gives %d\n", r);
  return map;
}

int main() {
  std::vector<float> a(M * K), b(N * K), c(M * N);
  for (int i = 0; i < M * K; ++i) a[i] = float(i * 37 % 1001 - 500);  // ten bits
  for (int i = 0; i < N * K; ++i) b[i] = float(i * 53 % 63 - 31);
  float *d_a, *d_b, *d_c;
  cudaMalloc(&d_a, a.size() * 4);
  cudaMalloc(&d_b, b.size() * 4);
  cudaMalloc(&d_c, c.size() * 4);
  cudaMemcpy(d_a, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), b.size() * 4, cudaMemcpyHostToDevice);
  product<<<1, 128>>>(map_of(d_a, M), map_of(d_b, N), d_c);
  cudaMemcpy(c.data(), d_c, c.size() * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  double sum = 0;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      float want = 0;
      for (int k = 0; k < K; ++k) want += a[m * K + k] * b[n * K + k];
      if (!(c[m * N + n] == want)) ++wrong;
      sum += c[m * N + n];
    }
  }
  printf("wrong elements: %d of %d\nsum: %.0f, last: %.0f\n", wrong, M * N, sum, c.back());
  printf("%s\n", wrong ? "FAILED" : "PASSED");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}
