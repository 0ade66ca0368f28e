// The usual ring: a producer fills stages with bulk copies, and consumers read them. Each stage has a barrier `full`, at which the bytes
// count, and a barrier `empty`, at which every consumer arrives. The producer waits for `empty` with the opposite parity, so its first turn
// around the ring does not wait.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int STAGES = 3, WORDS = 128, TILES = 17;
constexpr int CONSUMERS = 96, THREADS = CONSUMERS + 32;

__device__ uint32_t smem(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ void init(uint64_t* bar, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem(bar)), "r"(count) : "memory");
}
__device__ void wait(uint64_t* bar, int parity) {
  asm volatile(
      "{\n"
      ".reg .pred P1;\n"
      "LAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
      "@P1 bra.uni DONE;\n"
      "bra.uni LAB_WAIT;\n"
      "DONE:\n"
      "}\n" ::"r"(smem(bar)),
      "r"(parity)
      : "memory");
}

__global__ void dot(const int* a, const int* b, long long* result) {
  __shared__ alignas(128) int sa[STAGES][WORDS];
  __shared__ alignas(128) int sb[STAGES][WORDS];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      init(&full[s], 1);
      init(&empty[s], CONSUMERS);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  const int* first_a = a + blockIdx.x * TILES * WORDS;
  const int* first_b = b + blockIdx.x * TILES * WORDS;

  if (threadIdx.x >= CONSUMERS) {
    if (threadIdx.x == CONSUMERS) {
      for (int tile = 0; tile < TILES; ++tile) {
        const int s = tile % STAGES;
        wait(&empty[s], (tile / STAGES + 1) % 2);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem(&full[s])),
                     "r"(2 * WORDS * 4)
                     : "memory");
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
            "[%3];" ::"r"(smem(sa[s])),
            "l"(first_a + tile * WORDS), "r"(WORDS * 4), "r"(smem(&full[s]))
            : "memory");
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
            "[%3];" ::"r"(smem(sb[s])),
            "l"(first_b + tile * WORDS), "r"(WORDS * 4), "r"(smem(&full[s]))
            : "memory");
      }
    }
    return;
  }
  long long sum = 0;
  for (int tile = 0; tile < TILES; ++tile) {
    const int s = tile % STAGES;
    wait(&full[s], tile / STAGES % 2);
    for (int i = threadIdx.x; i < WORDS; i += CONSUMERS) sum += 1ll * sa[s][i] * sb[s][i];
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(smem(&empty[s])) : "memory");
  }
  for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) atomicAdd((unsigned long long*)result, (unsigned long long)sum);
}

int main() {
  constexpr int BLOCKS = 3, N = BLOCKS * TILES * WORDS;
  std::vector<int> a(N), b(N);
  long long want = 0;
  for (int i = 0; i < N; ++i) {
    a[i] = i % 1013 - 500;
    b[i] = i * 7 % 911;
    want += 1ll * a[i] * b[i];
  }
  int *d_a, *d_b;
  long long *d_result, result;
  cudaMalloc(&d_a, N * 4);
  cudaMalloc(&d_b, N * 4);
  cudaMalloc(&d_result, 8);
  cudaMemset(d_result, 0, 8);
  cudaMemcpy(d_a, a.data(), N * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), N * 4, cudaMemcpyHostToDevice);
  dot<<<BLOCKS, THREADS>>>(d_a, d_b, d_result);
  cudaMemcpy(&result, d_result, 8, cudaMemcpyDeviceToHost);
  printf("elements: %d\nproduct: %lld, expected: %lld\n", N, result, want);
  printf("%s\n", result == want ? "PASSED" : "FAILED");
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_result);
}
