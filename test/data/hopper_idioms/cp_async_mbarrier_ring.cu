// A ring whose stages are filled by cp.async, the copies of Ampere. Each producer thread lets its copies arrive at the stage's mbarrier with
// cp.async.mbarrier.arrive.noinc, which takes one of the arrivals that the barrier expects. So no producer waits for its own copies.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int STAGES = 3, TILES = 14, WORDS = 256;
constexpr int PRODUCERS = 64, CONSUMERS = 64;  // each producer copies 16 bytes

__device__ unsigned smem_addr(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void wait_parity(uint64_t& bar, unsigned parity) {
  unsigned complete = 0;
  do {
    asm volatile(
        "{ .reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p; }\n"
        : "=r"(complete)
        : "r"(smem_addr(&bar)), "r"(parity)
        : "memory");
  } while (complete == 0);
}

__global__ void gather(const int4* in, const int* rows, int* sums) {
  __shared__ int4 stage[STAGES][PRODUCERS];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem_addr(full + s)),
                   "r"(PRODUCERS));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem_addr(empty + s)),
                   "r"(CONSUMERS));
    }
  }
  __syncthreads();
  if (threadIdx.x < PRODUCERS) {
    for (int t = 0; t < TILES; ++t) {
      const int s = t % STAGES;
      wait_parity(empty[s], t / STAGES + 1 & 1);
      // The rows come from a list, which a bulk copy could not follow.
      const int4* source = in + rows[t] * PRODUCERS + threadIdx.x;
      asm volatile(
          "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(smem_addr(&stage[s][threadIdx.x])),
          "l"(source)
          : "memory");
      asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(smem_addr(full + s))
                   : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
  } else {
    const int i = threadIdx.x - PRODUCERS;
    int sum = 0;
    for (int t = 0; t < TILES; ++t) {
      const int s = t % STAGES;
      wait_parity(full[s], t / STAGES & 1);
      const int4 mine = stage[s][i], other = stage[s][PRODUCERS - 1 - i];
      sum += (mine.x + mine.y - other.z - other.w) * (t + 1);
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(smem_addr(empty + s))
                   : "memory");
    }
    sums[i] = sum;
  }
}

int main() {
  constexpr int ROWS = 20;
  std::vector<int> in(ROWS * WORDS), rows(TILES), sums(CONSUMERS);
  for (int i = 0; i < ROWS * WORDS; ++i) in[i] = (i * 29 + 5) % 701;
  for (int t = 0; t < TILES; ++t) rows[t] = t * 7 % ROWS;
  int *d_in, *d_rows, *d_sums;
  cudaMalloc(&d_in, in.size() * 4);
  cudaMalloc(&d_rows, rows.size() * 4);
  cudaMalloc(&d_sums, sums.size() * 4);
  cudaMemcpy(d_in, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(d_rows, rows.data(), rows.size() * 4, cudaMemcpyHostToDevice);
  gather<<<1, PRODUCERS + CONSUMERS>>>((const int4*)d_in, d_rows, d_sums);
  cudaMemcpy(sums.data(), d_sums, sums.size() * 4, cudaMemcpyDeviceToHost);
  int wrong = 0, checksum = 0;
  for (int i = 0; i < CONSUMERS; ++i) {
    int want = 0;
    for (int t = 0; t < TILES; ++t) {
      const int* mine = &in[rows[t] * WORDS + i * 4];
      const int* other = &in[rows[t] * WORDS + (PRODUCERS - 1 - i) * 4];
      want += (mine[0] + mine[1] - other[2] - other[3]) * (t + 1);
    }
    wrong += sums[i] != want;
    checksum += sums[i] * (i + 1);
  }
  printf("sums: %d, wrong sums: %d, checksum: %d\n", CONSUMERS, wrong, checksum);
  printf("%s\n", wrong ? "FAILED" : "PASSED");
  cudaFree(d_in);
  cudaFree(d_rows);
  cudaFree(d_sums);
}
