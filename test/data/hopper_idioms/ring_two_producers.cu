// A ring with two producers. One thread copies the tiles of the first array, another thread those of the second. `full` expects both
// arrivals, and each producer announces the bytes of its own copy. A stage is complete when all bytes of both have come.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

template <int STAGES, int WORDS>
struct Ring {
  alignas(128) float left[STAGES][WORDS];
  alignas(128) float right[STAGES][WORDS];
  alignas(8) uint64_t full[STAGES];
  alignas(8) uint64_t empty[STAGES];
};

constexpr int STAGES = 2, WORDS = 64, STEPS = 11, CONSUMER_WARPS = 2;

__device__ static uint32_t at(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ static bool try_wait(uint64_t& bar, uint32_t phase) {
  uint32_t complete;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2;\n"
      "selp.b32 %0, 1, 0, p;\n"
      "}\n"
      : "=r"(complete)
      : "r"(at(&bar)), "r"(phase)
      : "memory");
  return complete;
}

__device__ static void produce(float* stage, const float* source, uint64_t& full) {
  asm volatile(
      "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(at(&full)),
      "r"((uint32_t)(WORDS * sizeof(float)))
      : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(at(stage)),
      "l"(source), "r"((uint32_t)(WORDS * sizeof(float))), "r"(at(&full))
      : "memory");
}

__global__ void interleave(const float* left, const float* right, float2* out) {
  __shared__ Ring<STAGES, WORDS> ring;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x < STAGES) {  // one thread for each stage
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(at(&ring.full[threadIdx.x])));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(&ring.empty[threadIdx.x])),
                 "r"(CONSUMER_WARPS * 32));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (warp >= CONSUMER_WARPS) {
    if (lane != 0) return;
    const bool is_left = warp == CONSUMER_WARPS;
    for (int step = 0; step < STEPS; ++step) {
      const int s = step % STAGES;
      while (!try_wait(ring.empty[s], (step / STAGES & 1) ^ 1)) {
      }
      if (is_left) {
        produce(ring.left[s], left + step * WORDS, ring.full[s]);
      } else {
        produce(ring.right[s], right + step * WORDS, ring.full[s]);
      }
    }
  } else {
    for (int step = 0; step < STEPS; ++step) {
      const int s = step % STAGES;
      while (!try_wait(ring.full[s], step / STAGES & 1)) __nanosleep(20);
      out[step * WORDS + threadIdx.x] = {ring.left[s][threadIdx.x], ring.right[s][threadIdx.x]};
      asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(at(&ring.empty[s]))
                   : "memory");
    }
  }
}

int main() {
  constexpr int N = STEPS * WORDS;
  float *left, *right;
  float2* out;
  cudaMallocManaged(&left, N * sizeof(float));
  cudaMallocManaged(&right, N * sizeof(float));
  cudaMallocManaged(&out, N * sizeof(float2));
  for (int i = 0; i < N; ++i) left[i] = i, right[i] = -2 * i;
  interleave<<<1, (CONSUMER_WARPS + 2) * 32>>>(left, right, out);
  if (cudaDeviceSynchronize() != cudaSuccess) return puts("FAILED: an error of the device"), 1;
  int wrong = 0;
  double sum = 0;
  for (int i = 0; i < N; ++i) {
    wrong += out[i].x != i || out[i].y != -2 * i;
    sum += out[i].x + 0.25 * out[i].y;
  }
  printf("pairs: %d, wrong pairs: %d, sum: %.2f\n", N, wrong, sum);
  puts(wrong == 0 ? "PASSED" : "FAILED");
  cudaFree(left);
  cudaFree(right);
  cudaFree(out);
}
