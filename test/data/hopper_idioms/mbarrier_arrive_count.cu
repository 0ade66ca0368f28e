// Arrivals with a count: one lane arrives for its whole warp. A barrier that expects one arrival for each of 128 threads is complete after four
// arrivals of 32. The last warp of each turn reads the sums of the others. mbarrier.pending_count says how many arrivals were missing.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

constexpr int THREADS = 128, TURNS = 6;

__device__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__global__ void turns(int* results, unsigned* pending) {
  __shared__ int sums[4];
  __shared__ uint64_t filled, taken;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(shared_address(&filled)));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(shared_address(&taken)));
    // One thread alone: nothing is pending yet, and its first arrival of 100 leaves 28.
    uint64_t scratch_state, after;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;"
                 : "=l"(scratch_state)
                 : "r"(shared_address(&taken)), "r"(100)
                 : "memory");
    asm volatile("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], 8;"
                 : "=l"(after)
                 : "r"(shared_address(&taken))
                 : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending[0]) : "l"(scratch_state));
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending[1]) : "l"(after));
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(&taken)) : "memory");
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(shared_address(&taken)));
  }
  __syncthreads();
  const auto arrive_for_warp = [lane](uint64_t& bar) {
    __syncwarp();
    if (lane == 0) {
      asm volatile("{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0], %1; }" ::"r"(
                       shared_address(&bar)),
                   "r"(32)
                   : "memory");
    }
  };
  const auto wait = [](uint64_t& bar, int parity) {
    asm volatile(
        "{\n.reg .pred p;\nWAIT_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
        "@!p bra WAIT_%=;\n}" ::"r"(shared_address(&bar)),
        "r"(parity)
        : "memory");
  };
  for (int turn = 0; turn < TURNS; ++turn) {
    int value = (threadIdx.x + 1) * (turn + 1);
    for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(~0u, value, d);
    if (lane == 0) sums[warp] = value;
    arrive_for_warp(filled);
    wait(filled, turn & 1);
    if (turn % 4 == warp && lane == 0) results[turn] = sums[0] + sums[1] + sums[2] + sums[3];
    arrive_for_warp(taken);
    wait(taken, turn & 1);
  }
}

int main() {
  int* d_results;
  unsigned* d_pending;
  cudaMalloc(&d_results, TURNS * sizeof(int));
  cudaMalloc(&d_pending, 2 * sizeof(unsigned));
  turns<<<1, THREADS>>>(d_results, d_pending);
  int results[TURNS], wrong = 0;
  unsigned pending[2];
  cudaMemcpy(results, d_results, sizeof results, cudaMemcpyDeviceToHost);
  cudaMemcpy(pending, d_pending, sizeof pending, cudaMemcpyDeviceToHost);
  for (int turn = 0; turn < TURNS; ++turn) {
    wrong += results[turn] != THREADS * (THREADS + 1) / 2 * (turn + 1);
    printf("turn %d: %d\n", turn, results[turn]);
  }
  printf("pending before each arrival: %u, %u\n", pending[0], pending[1]);
  printf("wrong sums: %d\n%s\n", wrong, wrong == 0 ? "PASSED" : "FAILED");
  cudaFree(d_results);
  cudaFree(d_pending);
}
