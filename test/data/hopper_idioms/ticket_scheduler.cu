// Blocks take their work by tickets: one thread draws the next number with atomicAdd and hands it to the block through a small ring in shared memory. The ring has
// barriers like a ring of tiles, so the next ticket is already there when a work item ends. Which block takes which item does not matter.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int ITEMS = 40, WORDS = 96, WORKERS = 64, BLOCKS = 3, SLOTS = 2;

struct Tickets {
  int number[SLOTS];
  uint64_t full[SLOTS], empty[SLOTS];
};

__device__ uint32_t sa(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

template <typename Bar>
__device__ void wait_for(Bar* bar, int parity) {
  asm volatile(
      "{\n\t"
      ".reg .pred done;\n\t"
      "WAIT_LOOP:\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
      "@done bra.uni WAIT_DONE;\n\t"
      "bra.uni WAIT_LOOP;\n\t"
      "WAIT_DONE:\n\t"
      "}" ::"r"(sa(bar)),
      "r"(parity)
      : "memory");
}
template <typename Bar>
__device__ void arrive_at(Bar* bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sa(bar)) : "memory");
}

__global__ void work(const int* in, int* counter, long long* out, int* served) {
  __shared__ Tickets tickets;
  __shared__ alignas(16) int item[SLOTS][WORDS];
  if (threadIdx.x == 0) {
    for (int s = 0; s < SLOTS; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sa(&tickets.full[s])));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sa(&tickets.empty[s])),
                   "n"(WORKERS));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x >= WORKERS) {
    if (threadIdx.x != WORKERS) return;
    for (int i = 0;; ++i) {
      const int s = i % SLOTS;
      wait_for(&tickets.empty[s], (i / SLOTS & 1) ^ 1);
      const int number = atomicAdd(counter, 1);
      tickets.number[s] = number;
      if (number >= ITEMS) {
        arrive_at(&tickets.full[s]);  // no bytes come: the end
        return;
      }
      asm volatile(
          "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sa(&tickets.full[s])),
          "r"(WORDS * 4)
          : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
          "[%3];" ::"r"(sa(item[s])),
          "l"(in + number * WORDS), "r"(WORDS * 4), "r"(sa(&tickets.full[s]))
          : "memory");
    }
  }
  for (int i = 0;; ++i) {
    const int s = i % SLOTS;
    wait_for(&tickets.full[s], i / SLOTS & 1);
    const int number = tickets.number[s];
    if (number >= ITEMS) break;
    long long sum = 0;
    for (int w = threadIdx.x; w < WORDS; w += WORKERS)
      sum += (long long)item[s][w] * item[s][WORDS - 1 - w] * (w + 1);
    arrive_at(&tickets.empty[s]);
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0)
      atomicAdd((unsigned long long*)&out[number], (unsigned long long)sum);
    if (threadIdx.x == 0) atomicAdd(served, 1);
  }
}

int main() {
  std::vector<int> in(ITEMS * WORDS);
  for (size_t i = 0; i < in.size(); ++i) in[i] = (int)(i * 48271 % 2039) - 1000;
  int *d_in, *d_counter, *d_served, served = 0, counter = 0;
  long long* d_out;
  cudaMalloc(&d_in, in.size() * sizeof(int));
  cudaMalloc(&d_counter, sizeof(int));
  cudaMalloc(&d_served, sizeof(int));
  cudaMalloc(&d_out, ITEMS * sizeof(long long));
  cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(d_counter, 0, sizeof(int));
  cudaMemset(d_served, 0, sizeof(int));
  cudaMemset(d_out, 0, ITEMS * sizeof(long long));
  work<<<BLOCKS, WORKERS + 32>>>(d_in, d_counter, d_out, d_served);
  std::vector<long long> out(ITEMS);
  cudaMemcpy(out.data(), d_out, ITEMS * sizeof(long long), cudaMemcpyDeviceToHost);
  cudaMemcpy(&served, d_served, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(&counter, d_counter, sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  long long total = 0;
  for (int i = 0; i < ITEMS; ++i) {
    long long want = 0;
    for (int w = 0; w < WORDS; ++w)
      want += (long long)in[i * WORDS + w] * in[i * WORDS + WORDS - 1 - w] * (w + 1);
    wrong += out[i] != want;
    total ^= out[i] * (i + 1);
  }
  printf("items: %d, served: %d, tickets: %d\n", ITEMS, served, counter);
  printf("wrong items: %d, checksum: %lld\n%s\n", wrong, total,
         wrong || served != ITEMS ? "FAILED" : "PASSED");
  cudaFree(d_in);
  cudaFree(d_counter);
  cudaFree(d_served);
  cudaFree(d_out);
}
