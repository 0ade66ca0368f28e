// A product whose matrix A never enters shared memory: each lane loads its fragments of A from global memory into registers. B is stored to
// shared memory by the threads, without a swizzle, as blocks of 8 x 16 bytes. fence.proxy.async makes these stores visible to the tensor
// core.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int M = 64, N = 24, K = 64;

__device__ void wgmma_m64n24k16(float (&d)[12], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3,
                                uint64_t b, bool accumulate) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %17, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n24k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11}, "
      "{%12, %13, %14, %15}, "
      "%16, "
      "p, 1, 1, 0;\n"
      "}\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(b), "r"((int)accumulate));
}

// B's element (n, k) in blocks of 8 columns by 8 steps of k: first the blocks of one k, one for each 8 columns.
__device__ __host__ int block_index(int n, int k) {
  return (k / 8 * (N / 8) + n / 8) * 64 + n % 8 * 8 + k % 8;
}

__global__ __launch_bounds__(128) void product(const __half* a, const __half* b, float* c) {
  __shared__ alignas(16) __half tile[N * K];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < N * K; i += 128) tile[block_index(i / K, i % K)] = b[i];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();

  const int row = warp * 16 + lane / 4, k0 = lane % 4 * 2;
  uint32_t fragment[K / 16][4];
#pragma unroll
  for (int step = 0; step < K / 16; ++step) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int m = row + i % 2 * 8, k = step * 16 + i / 2 * 8 + k0;
      fragment[step][i] = *reinterpret_cast<const uint32_t*>(&a[m * K + k]);
    }
  }
  float d[12] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int step = 0; step < K / 16; ++step) {
    const uint32_t start = __cvta_generic_to_shared(&tile[block_index(0, step * 16)]);
    const uint64_t from_k_to_k = N / 8 * 128 >> 4, from_n_to_n = 128 >> 4;
    const uint64_t descriptor = (start >> 4) | from_k_to_k << 16 | from_n_to_n << 32;
    wgmma_m64n24k16(d, fragment[step][0], fragment[step][1], fragment[step][2], fragment[step][3],
                    descriptor, step != 0);
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
  for (int i = 0; i < 12; ++i) c[(row + i / 2 % 2 * 8) * N + i / 4 * 8 + k0 + i % 2] = d[i];
}

int main() {
  std::vector<__half> a(M * K), b(N * K);
  std::vector<float> c(M * N);
  const auto value_a = [](int m, int k) { return (m * 3 + k * k) % 23 - 11; };
  const auto value_b = [](int n, int k) { return (n * n + 5 * k) % 19 - 9; };
  for (int i = 0; i < M * K; ++i) a[i] = __int2half_rn(value_a(i / K, i % K));
  for (int i = 0; i < N * K; ++i) b[i] = __int2half_rn(value_b(i / K, i % K));
  __half *d_a, *d_b;
  float* d_c;
  cudaMalloc(&d_a, sizeof(__half) * M * K);
  cudaMalloc(&d_b, sizeof(__half) * N * K);
  cudaMalloc(&d_c, sizeof(float) * M * N);
  cudaMemcpy(d_a, a.data(), sizeof(__half) * M * K, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), sizeof(__half) * N * K, cudaMemcpyHostToDevice);
  product<<<1, 128>>>(d_a, d_b, d_c);
  cudaMemcpy(c.data(), d_c, sizeof(float) * M * N, cudaMemcpyDeviceToHost);
  int wrong = 0, corner = 0;
  double sum = 0;
  for (int i = 0; i < M * N; ++i) {
    int want = 0;
    for (int k = 0; k < K; ++k) want += value_a(i / N, k) * value_b(i % N, k);
    wrong += !(c[i] == (float)want);
    sum += c[i] * (i % 11);
    corner = want;
  }
  printf("elements: %d, wrong elements: %d\n", M * N, wrong);
  printf("weighted sum: %.0f, last: %d\n%s\n", sum, corner, wrong ? "FAILED" : "PASSED");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}
