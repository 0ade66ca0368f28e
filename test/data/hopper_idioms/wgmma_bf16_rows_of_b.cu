// flags: -lcuda
// B lies in memory row by row, as in C: its rows of n are contiguous, not its columns of k. wgmma takes such a tile of 16-bit elements if the
// instruction's transpose flag for B is set. A is taken transposed in the same way, so the kernel computes C = A^T B.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int M = 64, N = 64, K = 48;  // both tiles have rows of 64 elements, 128 bytes

struct Shared {
  alignas(1024) __nv_bfloat16 a[K][M];
  alignas(1024) __nv_bfloat16 b[K][N];
  uint64_t arrived;
};

__device__ uint32_t in_shared(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

// A tile whose rows are steps of k. Eight rows are 1024 bytes, and the next eight rows follow.
__device__ uint64_t describe(const void* first_row) {
  uint64_t desc = 0;
  desc |= (uint64_t)(in_shared(first_row) >> 4);
  desc |= (uint64_t)(1024 >> 4) << 16;
  desc |= (uint64_t)(1024 >> 4) << 32;
  desc |= (uint64_t)1 << 62;
  return desc;
}

__global__ void product(const __grid_constant__ CUtensorMap a,
                        const __grid_constant__ CUtensorMap b, float* c) {
  __shared__ Shared s;
  const uint32_t bar = in_shared(&s.arrived);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(1) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar),
                 "r"((uint32_t)(sizeof s.a + sizeof s.b))
                 : "memory");
    for (int i = 0; i < 2; ++i) {
      const CUtensorMap* map = i == 0 ? &a : &b;
      void* tile = i == 0 ? s.a : s.b;
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
          " [%0], [%1, {%2, %3}], [%4];" ::"r"(in_shared(tile)),
          "l"(map), "r"(0), "r"(0), "r"(bar)
          : "memory");
    }
  }
  __syncthreads();
  uint32_t complete;
  do {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, "
        "p; }"
        : "=r"(complete)
        : "r"(bar)
        : "memory");
  } while (!complete);

  float d[32];
#pragma unroll
  for (float& x : d) x = 0;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int k = 0; k < K; k += 16) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "setp.ne.b32 p, %34, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
        "%32, %33, p, %35, %36, %37, %38;\n"
        "}\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
          "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
          "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
        : "l"(describe(s.a[k])), "l"(describe(s.b[k])), "r"(1), "n"(1), "n"(1), "n"(1), "n"(1));
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
  for (int i = 0; i < 32; i += 2) {
    const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i / 2 % 2 * 8;
    const int col = i / 4 * 8 + threadIdx.x % 4 * 2;
    *reinterpret_cast<float2*>(&c[row * N + col]) = make_float2(d[i], d[i + 1]);
  }
}

CUtensorMap map_of(__nv_bfloat16* matrix) {
  CUtensorMap map{};
  const cuuint64_t size[] = {64, K}, pitch[] = {64 * sizeof(__nv_bfloat16)};
  const cuuint32_t box[] = {64, K}, step[] = {1, 1};
  if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, size, pitch, box,
                             step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                             CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    printf("FAILED: the map is refused\n");
  return map;
}

int main() {
  std::vector<float> a(K * M), b(K * N);
  std::vector<__nv_bfloat16> ba(K * M), bb(K * N);
  for (int i = 0; i < K * M; ++i)
    ba[i] = __float2bfloat16(a[i] = (float)(i * 11 % 31 - 15) * 0.25f);
  for (int i = 0; i < K * N; ++i) bb[i] = __float2bfloat16(b[i] = (float)(i * 13 % 29 - 14) * 0.5f);
  __nv_bfloat16 *d_a, *d_b;
  float* d_c;
  cudaMalloc(&d_a, ba.size() * 2);
  cudaMalloc(&d_b, bb.size() * 2);
  cudaMalloc(&d_c, M * N * 4);
  cudaMemcpy(d_a, ba.data(), ba.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, bb.data(), bb.size() * 2, cudaMemcpyHostToDevice);
  product<<<1, 128>>>(map_of(d_a), map_of(d_b), d_c);
  std::vector<float> c(M * N);
  cudaMemcpy(c.data(), d_c, M * N * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  double checksum = 0;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      float want = 0;
      for (int k = 0; k < K; ++k) want += a[k * M + m] * b[k * N + n];
      wrong += !(c[m * N + n] == want);
      checksum += c[m * N + n] * (m % 7 + n % 5);
    }
  }
  printf("elements: %d, wrong elements: %d\n", M * N, wrong);
  printf("checksum: %.3f, c[5][9] = %.3f\n", checksum, c[5 * N + 9]);
  printf("%s\n", wrong ? "FAILED" : "PASSED");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}
