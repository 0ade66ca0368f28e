// Two sets of accumulators, of which one is always in the tensor core. wait_group 1 waits for the older product only, and the threads add its sums
// to their total while the younger product runs. The threads store the tiles of all steps to shared memory once, before the loop.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int M = 64, N = 8, K = 128, STEP = 16;
static_assert(K / STEP % 2 == 0, "the loop takes two steps at once");

__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int N>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}
__device__ __forceinline__ void multiply(float4& d, uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 0, 1, 1, 0, 0;"
      : "+f"(d.x), "+f"(d.y), "+f"(d.z), "+f"(d.w)
      : "l"(a), "l"(b));
}

// A step's tile without a swizzle: blocks of 8 rows by 16 bytes, first those of k 0 to 7, then those of k 8 to 15.
template <int ROWS>
struct Tile {
  alignas(16) __half blocks[2][ROWS / 8][8][8];
  __device__ void put(int row, int k, __half value) {
    blocks[k / 8][row / 8][row % 8][k % 8] = value;
  }
  __device__ uint64_t describe() const {
    const uint64_t start = __cvta_generic_to_shared(blocks), leading = sizeof blocks[0],
                   stride = sizeof blocks[0][0];
    return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32;
  }
};

__global__ __launch_bounds__(128) void product(const __half* a, const __half* b, float* c) {
  __shared__ Tile<M> tiles_a[K / STEP];
  __shared__ Tile<N> tiles_b[K / STEP];
  for (int i = threadIdx.x; i < M * K; i += 128) tiles_a[i % K / STEP].put(i / K, i % STEP, a[i]);
  for (int i = threadIdx.x; i < N * K; i += 128) tiles_b[i % K / STEP].put(i / K, i % STEP, b[i]);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();

  float4 even{}, odd{}, total{};
  const auto begin = [](float4& d, const Tile<M>& ta, const Tile<N>& tb) {
    wgmma_fence();
    multiply(d, ta.describe(), tb.describe());
    wgmma_commit();
  };
  const auto add = [&total](const float4& d) {
    total.x += d.x;
    total.y += d.y;
    total.z += d.z;
    total.w += d.w;
  };
  begin(even, tiles_a[0], tiles_b[0]);
  for (int step = 0; step < K / STEP; step += 2) {
    begin(odd, tiles_a[step + 1], tiles_b[step + 1]);
    wgmma_wait<1>();
    add(even);
    if (step + 2 < K / STEP) {
      begin(even, tiles_a[step + 2], tiles_b[step + 2]);
      wgmma_wait<1>();
    } else {
      wgmma_wait<0>();
    }
    add(odd);
  }
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, col = threadIdx.x % 4 * 2;
  c[row * N + col] = total.x;
  c[row * N + col + 1] = total.y;
  c[(row + 8) * N + col] = total.z;
  c[(row + 8) * N + col + 1] = total.w;
}

int main() {
  __half *a, *b;
  float* c;
  cudaMallocManaged(&a, M * K * sizeof(__half));
  cudaMallocManaged(&b, N * K * sizeof(__half));
  cudaMallocManaged(&c, M * N * sizeof(float));
  for (int i = 0; i < M * K; ++i) a[i] = __float2half((i * 13 % 41 - 20) * 0.5f);
  for (int i = 0; i < N * K; ++i) b[i] = __float2half((i * 17 % 37 - 18) * 0.25f);
  product<<<1, 128>>>(a, b, c);
  cudaDeviceSynchronize();
  int wrong = 0;
  double sum = 0;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      float want = 0;
      for (int k = 0; k < K; ++k) want += __half2float(a[m * K + k]) * __half2float(b[n * K + k]);
      wrong += !(c[m * N + n] == want);
      sum += c[m * N + n] * (n + 1);
    }
  }
  printf("wrong elements: %d, weighted sum: %.3f, c[1][1]: %.3f\n", wrong, sum, c[N + 1]);
  printf("%s\n", wrong ? "FAILED" : "PASSED");
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}
