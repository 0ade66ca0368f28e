// FP32's accuracy from FP16 products: the kernel splits each number x into a large part h and a small part l, both halves, with x = h + l * 2^-11. The threads
// store both parts to tiles with a swizzle of 128 bytes. Then C = Ah Bh + (Ah Bl + Al Bh) * 2^-11, with two sets of accumulators.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int M = 64, N = 32, K = 128, BK = 64;
constexpr float STEP = 2048;  // 2^11

struct alignas(1024) Tiles {
  char a_high[M * 128], a_low[M * 128], b_high[N * 128], b_low[N * 128];
};

__device__ uint32_t u32_shared(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// Splits two neighbours of a row and stores them at their swizzled place.
__device__ void split(float2 x, char* high, char* low, int row, int k) {
  const __half2 h = __float22half2_rn(x);
  const float2 rest = {(x.x - __low2float(h)) * STEP, (x.y - __high2float(h)) * STEP};
  const __half2 l = __float22half2_rn(rest);
  int offset = row * 128 + k * 2;
  offset ^= (offset & 0x380) >> 3;
  *reinterpret_cast<__half2*>(high + offset) = h;
  *reinterpret_cast<__half2*>(low + offset) = l;
}

__device__ uint64_t descriptor(const char* tile, int k) {
  return uint64_t(u32_shared(tile + k * 2) >> 4) | uint64_t(64) << 32 | uint64_t(1) << 62;
}

#define PRODUCT(d, a, b)                                                                         \
  asm volatile(                                                                                  \
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "                                      \
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, %16, %17, 1, 1, " \
      "1, 0, 0;"                                                                                 \
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),      \
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),  \
        "+f"(d[14]), "+f"(d[15])                                                                 \
      : "l"(a), "l"(b))

__global__ __launch_bounds__(128) void product(const float* a, const float* b, float* c) {
  __shared__ Tiles s;
  float large[16] = {}, small[16] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = threadIdx.x; i < M * BK / 2; i += 128) {
      const int row = i / (BK / 2), k = i % (BK / 2) * 2;
      split(*reinterpret_cast<const float2*>(a + row * K + k0 + k), s.a_high, s.a_low, row, k);
    }
    for (int i = threadIdx.x; i < N * BK / 2; i += 128) {
      const int row = i / (BK / 2), k = i % (BK / 2) * 2;
      split(*reinterpret_cast<const float2*>(b + row * K + k0 + k), s.b_high, s.b_low, row, k);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < BK; k += 16) {
      PRODUCT(small, descriptor(s.a_high, k), descriptor(s.b_low, k));
      PRODUCT(small, descriptor(s.a_low, k), descriptor(s.b_high, k));
      PRODUCT(large, descriptor(s.a_high, k), descriptor(s.b_high, k));
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i / 2 % 2 * 8,
              col = i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
    c[row * N + col] = large[i] + small[i] * (1 / STEP);
  }
}

int main() {
  // High parts of a are multiples of 64, low parts of 1/128. b is -1, 0 or 1 and a little more. So all sums are exact.
  std::vector<float> a(M * K), b(N * K), c(M * N);
  for (int i = 0; i < M * K; ++i) a[i] = (i % 8 * 2 - 7) * 64.0f + i % 5 * 0.0078125f;
  for (int i = 0; i < N * K; ++i) b[i] = float(i * 7 % 3 - 1) * (1 + 1 / 4096.0f);
  float *d_a, *d_b, *d_c;
  cudaMalloc(&d_a, a.size() * 4);
  cudaMalloc(&d_b, b.size() * 4);
  cudaMalloc(&d_c, c.size() * 4);
  cudaMemcpy(d_a, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), b.size() * 4, cudaMemcpyHostToDevice);
  product<<<1, 128>>>(d_a, d_b, d_c);
  cudaMemcpy(c.data(), d_c, c.size() * 4, cudaMemcpyDeviceToHost);
  int halves_would_lose = 0, wrong = 0;
  double sum = 0;
  for (int i = 0; i < M * N; ++i) {
    double want = 0, halves = 0;
    for (int k = 0; k < K; ++k) {
      const float x = a[i / N * K + k], y = b[i % N * K + k];
      const float xh = __half2float(__float2half(x)), yh = __half2float(__float2half(y));
      const float xl = __half2float(__float2half((x - xh) * STEP)),
                  yl = __half2float(__float2half((y - yh) * STEP));
      want += double(xh) * yh + (double(xh) * yl + double(xl) * yh) / STEP;
      halves += double(xh) * yh;
    }
    wrong += !(c[i] == float(want));
    halves_would_lose += halves != want;
    sum += c[i] * (i % 5);
  }
  printf("elements: %d, wrong elements: %d, wrong without the small parts: %d\n", M * N, wrong,
         halves_would_lose);
  printf("c[1][5] = %.9g, weighted sum: %.6f\n%s\n", c[N + 5], sum, wrong ? "FAILED" : "PASSED");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}
