// A ring in which one lane of each consumer warp gives a stage back. __syncwarp comes first, so all lanes have read the stage before their
// lane arrives. The barrier `empty` then expects one arrival for each warp, not for each thread.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int STAGES = 4, WORDS = 192, TILES = 23, WARPS = 3;

__device__ inline uint32_t s32(const void* p) { return uint32_t(__cvta_generic_to_shared(p)); }

#define MBARRIER_INIT(bar, count) \
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(s32(bar)), "r"(count) : "memory")
#define MBARRIER_ARRIVE(bar) \
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(s32(bar)) : "memory")
#define MBARRIER_EXPECT(bar, bytes)                                                      \
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(s32(bar)), \
               "r"(bytes)                                                                \
               : "memory")
#define MBARRIER_WAIT(bar, parity)                              \
  asm volatile(                                                 \
      "{\n.reg .pred p;\n"                                      \
      "WAIT_%=:\n"                                              \
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n" \
      "@!p bra WAIT_%=;\n}\n" ::"r"(s32(bar)),                  \
      "r"(parity)                                               \
      : "memory")

__global__ void __launch_bounds__(WARPS * 32 + 32) maxima(const int* in, int* out) {
  __shared__ alignas(128) int stage[STAGES][WORDS];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 0 && lane == 0) {
    for (int s = 0; s < STAGES; ++s) {
      MBARRIER_INIT(full + s, 1);
      MBARRIER_INIT(empty + s, WARPS);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (warp == 0) {  // here the first warp produces
    if (lane == 0) {
      for (int t = 0; t < TILES; ++t) {
        const int s = t % STAGES;
        if (t >= STAGES) MBARRIER_WAIT(empty + s, (t / STAGES - 1) & 1);
        MBARRIER_EXPECT(full + s, WORDS * 4);
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
            "[%3];"
            :
            : "r"(s32(stage[s])), "l"(in + t * WORDS), "r"(WORDS * 4), "r"(s32(full + s))
            : "memory");
      }
    }
    return;
  }
  int most[WORDS / 96];
  for (int& m : most) m = INT32_MIN;
  for (int t = 0; t < TILES; ++t) {
    const int s = t % STAGES;
    MBARRIER_WAIT(full + s, t / STAGES & 1);
    for (int i = 0; i < WORDS / 96; ++i)
      most[i] = max(most[i], stage[s][i * 96 + threadIdx.x - 32]);
    __syncwarp();
    if (lane == 0) MBARRIER_ARRIVE(empty + s);
  }
  for (int i = 0; i < WORDS / 96; ++i) out[i * 96 + threadIdx.x - 32] = most[i];
}

int main() {
  std::vector<int> in(TILES * WORDS), want(WORDS, INT32_MIN), out(WORDS);
  uint32_t x = 1;
  for (int i = 0; i < TILES * WORDS; ++i) {
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    in[i] = int(x % 100000) - 50000;
    if (in[i] > want[i % WORDS]) want[i % WORDS] = in[i];
  }
  int *d_in, *d_out;
  cudaMalloc(&d_in, in.size() * 4);
  cudaMalloc(&d_out, WORDS * 4);
  cudaMemcpy(d_in, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
  maxima<<<1, WARPS * 32 + 32>>>(d_in, d_out);
  cudaMemcpy(out.data(), d_out, WORDS * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  long sum = 0;
  for (int i = 0; i < WORDS; ++i) {
    wrong += out[i] != want[i];
    sum += out[i];
  }
  printf("maxima: %d, wrong maxima: %d, sum: %ld\n%s\n", WORDS, wrong, sum,
         wrong ? "FAILED" : "PASSED");
  cudaFree(d_in);
  cudaFree(d_out);
}
