// flags: -lcuda
// Each step of k begins with fresh accumulators, because its first wgmma does not add (scale-d is false). After the wait the threads add the step's
// sums to totals in registers of the threads, in FP64. So a long sum is not rounded by the tensor core; here the totals go beyond what it would keep.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int M = 64, N = 16, K = 512, BK = 64, STAGES = 2;

__device__ uint32_t saddr(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ uint64_t descriptor(const void* tile, int k) {
  return ((saddr(tile) + k * 2) >> 4) | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

struct Accumulators {
  float x[8];
  __device__ void multiply(uint64_t a, uint64_t b, bool adds) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %10, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, "
        "%9, p, 1, 1, 0, 0;\n}\n"
        : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]), "+f"(x[4]), "+f"(x[5]), "+f"(x[6]),
          "+f"(x[7])
        : "l"(a), "l"(b), "r"(static_cast<int>(adds)));
  }
};

__global__ void __launch_bounds__(160)
    product(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
            double* c) {
  __shared__ alignas(1024) half a[STAGES][M][BK];
  __shared__ alignas(1024) half b[STAGES][N][BK];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const auto wait = [](uint64_t& bar, uint32_t parity) {
    asm volatile(
        "{\n.reg .pred p;\nWAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra "
        "WAIT;\n}" ::"r"(saddr(&bar)),
        "r"(parity)
        : "memory");
  };
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(saddr(&full[s])), "r"(1));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(saddr(&empty[s])), "r"(128));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x >= 128) {
    if (threadIdx.x == 128) {
      for (int step = 0; step < K / BK; ++step) {
        const int s = step % STAGES;
        wait(empty[s], (step / STAGES & 1) ^ 1);
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(saddr(&full[s])),
            "r"((M + N) * BK * 2)
            : "memory");
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
            "[%1, {%3, %4}], [%2];" ::"r"(saddr(a[s])),
            "l"(&map_a), "r"(saddr(&full[s])), "r"(step * BK), "r"(0)
            : "memory");
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
            "[%1, {%3, %4}], [%2];" ::"r"(saddr(b[s])),
            "l"(&map_b), "r"(saddr(&full[s])), "r"(step * BK), "r"(0)
            : "memory");
      }
    }
    return;
  }
  double total[8] = {};
  for (int step = 0; step < K / BK; ++step) {
    const int s = step % STAGES;
    wait(full[s], step / STAGES & 1);
    Accumulators acc;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < BK; k += 16) acc.multiply(descriptor(a[s], k), descriptor(b[s], k), k > 0);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(saddr(&empty[s])) : "memory");
#pragma unroll
    for (int i = 0; i < 8; ++i) total[i] += acc.x[i];
  }
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, col = threadIdx.x % 4 * 2;
#pragma unroll
  for (int i = 0; i < 8; ++i) c[(row + i / 2 % 2 * 8) * N + col + i / 4 * 8 + i % 2] = total[i];
}

CUtensorMap make_map(half* data, int rows) {
  CUtensorMap map;
  cuuint64_t size[] = {K, (cuuint64_t)rows}, pitch[] = {K * 2};
  cuuint32_t box[] = {BK, (cuuint32_t)rows}, one[] = {1, 1};
  const auto error =
      cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, data, size, pitch, box, one,
                             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (error != CUDA_SUCCESS) printf("FAILED: error %d\n", error);
  return map;
}

int main() {
  // Each step's sum is exact in 24 bits; the sum of all steps is not.
  std::vector<half> a(M * K), b(N * K);
  std::vector<double> c(M * N);
  const auto value_a = [](int m, int k) { return 1 + (m * 7 + k * 3) % 511; };
  const auto value_b = [](int n, int k) { return 1 + (n * 11 + k * 5) % 509; };
  for (int i = 0; i < M * K; ++i) a[i] = __float2half((float)value_a(i / K, i % K));
  for (int i = 0; i < N * K; ++i) b[i] = __float2half((float)value_b(i / K, i % K));
  half *d_a, *d_b;
  double* d_c;
  cudaMalloc(&d_a, a.size() * 2);
  cudaMalloc(&d_b, b.size() * 2);
  cudaMalloc(&d_c, c.size() * 8);
  cudaMemcpy(d_a, a.data(), a.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), b.size() * 2, cudaMemcpyHostToDevice);
  product<<<1, 160>>>(make_map(d_a, M), make_map(d_b, N), d_c);
  cudaMemcpy(c.data(), d_c, c.size() * 8, cudaMemcpyDeviceToHost);
  int wrong = 0, odd = 0;
  for (int i = 0; i < M * N; ++i) {
    long want = 0;
    for (int k = 0; k < K; ++k) want += (long)value_a(i / N, k) * value_b(i % N, k);
    wrong += !(c[i] == (double)want);
    odd += want > (1 << 24) && want % 2 != 0;
  }
  printf("elements: %d, wrong elements: %d, too long for FP32: %d\n", M * N, wrong, odd);
  printf("first: %.0f, last: %.0f\n%s\n", c[0], c[M * N - 1], wrong ? "FAILED" : "PASSED");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}
