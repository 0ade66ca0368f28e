// Accumulators that the threads scale between products, as attention does when a row's maximum grows. After the wait the registers belong to
// the threads. wgmma.fence gives them back to the tensor core, so it must come after the scaling and before the next product.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int M = 64, N = 16, STEPS = 6, STEP = 16, K = STEPS * STEP;

typedef __nv_bfloat16 bf16;

__device__ uint32_t shared_ptr(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

__global__ void horner(const bf16* a, const bf16* b, const float* scales, float* c) {
  extern __shared__ __align__(16) char memory[];
  bf16* tile_a = reinterpret_cast<bf16*>(memory);  // [STEPS][2][M][8]
  bf16* tile_b = tile_a + M * K;                   // [STEPS][2][N][8]
  const int t = threadIdx.x;
  for (int i = t; i < M * K; i += blockDim.x) tile_a[i % K / 8 * M * 8 + i / K * 8 + i % 8] = a[i];
  for (int i = t; i < N * K; i += blockDim.x) tile_b[i % K / 8 * N * 8 + i / K * 8 + i % 8] = b[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();

  const uint64_t stride = uint64_t{8 * 16 >> 4} << 32;
  float acc[8];
  for (int i = 0; i < 8; ++i) acc[i] = 1.0f;
#pragma unroll 1
  for (int step = 0; step < STEPS; ++step) {
    const float scale = scales[step];
#pragma unroll
    for (int i = 0; i < 8; ++i) acc[i] *= scale;
    const uint64_t da =
        stride | uint64_t{M * 16 >> 4} << 16 | shared_ptr(tile_a + step * STEP * M) >> 4;
    const uint64_t db =
        stride | uint64_t{N * 16 >> 4} << 16 | shared_ptr(tile_b + step * STEP * N) >> 4;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, 1, 1, %10, 0, 0;"
        : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3]), "+f"(acc[4]), "+f"(acc[5]),
          "+f"(acc[6]), "+f"(acc[7])
        : "l"(da), "l"(db), "n"(-1));  // B's sign is turned, so the product is subtracted
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  for (int i = 0; i < 8; ++i) {
    const int row = t / 32 * 16 + t % 32 / 4 + (i & 2) * 4, col = t % 4 * 2 + i % 2 + i / 4 * 8;
    c[row * N + col] = acc[i];
  }
}

int main() {
  std::vector<float> a(M * K), b(N * K), c(M * N);
  std::vector<bf16> ba(M * K), bb(N * K);
  const float scales[STEPS] = {2.0f, 0.5f, 1.0f, 0.25f, 4.0f, 0.5f};
  for (int i = 0; i < M * K; ++i) ba[i] = __float2bfloat16(a[i] = float(i * 5 % 23 - 11));
  for (int i = 0; i < N * K; ++i) bb[i] = __float2bfloat16(b[i] = float(i * 3 % 19 - 9));
  bf16 *d_a, *d_b;
  float *d_s, *d_c;
  cudaMalloc(&d_a, ba.size() * 2);
  cudaMalloc(&d_b, bb.size() * 2);
  cudaMalloc(&d_s, sizeof scales);
  cudaMalloc(&d_c, c.size() * 4);
  cudaMemcpy(d_a, ba.data(), ba.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, bb.data(), bb.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(d_s, scales, sizeof scales, cudaMemcpyHostToDevice);
  horner<<<1, 128, (M + N) * K * sizeof(bf16)>>>(d_a, d_b, d_s, d_c);
  cudaMemcpy(c.data(), d_c, c.size() * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  double sum = 0;
  for (int i = 0; i < M * N; ++i) {
    float want = 1;
    for (int step = 0; step < STEPS; ++step) {
      want *= scales[step];
      for (int k = step * STEP; k < (step + 1) * STEP; ++k)
        want -= a[i / N * K + k] * b[i % N * K + k];
    }
    wrong += !(c[i] == want);
    sum += c[i] * (i % 3 - 1);
  }
  printf("elements: %d, wrong elements: %d\nfirst: %.4f, checksum: %.4f\n", M * N, wrong, c[0],
         sum);
  printf("%s\n", wrong ? "FAILED" : "PASSED");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_s);
  cudaFree(d_c);
}
