// The phases of all barriers in the bits of one register. A thread flips a barrier's bit after each wait. The order of the stages is not a ring
// here: a small table says which stage the next tile takes, and both sides follow it.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int STAGES = 4, WORDS = 32, STEPS = 24;
__constant__ int order[8] = {0, 2, 1, 2, 3, 0, 2, 1};
constexpr int ORDER[8] = {0, 2, 1, 2, 3, 0, 2, 1};

struct Phases {
  uint32_t bits;
  __device__ uint32_t of(int stage) const { return bits >> stage & 1; }
  __device__ void flip(int stage) { bits ^= 1u << stage; }
};

__device__ uint32_t cvta(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ void wait_and_flip(uint64_t* bars, int stage, Phases& phases) {
  uint32_t ok;
  do {
    asm volatile(
        "{\n\t"
        ".reg .pred complete;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], %2, %3;\n\t"
        "selp.u32 %0, 1, 0, complete;\n\t"
        "}"
        : "=r"(ok)
        : "r"(cvta(bars + stage)), "r"(phases.of(stage)), "r"(0x989680)
        : "memory");
  } while (!ok);
  phases.flip(stage);
}

__global__ void scale(const int* in, int* out) {
  __shared__ alignas(16) int stages[STAGES][WORDS];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(cvta(full + s)), "r"(1));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(cvta(empty + s)), "r"(32));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 32) {
    Phases phases{0xffffffff};  // the stages are free at the beginning
    for (int step = 0; step < STEPS; ++step) {
      const int s = order[step % 8];
      wait_and_flip(empty, s, phases);
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(cvta(full + s)),
                   "r"(WORDS * 4)
                   : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
          "[%3];" ::"r"(cvta(stages[s])),
          "l"(in + step * WORDS), "r"(WORDS * 4), "r"(cvta(full + s))
          : "memory");
    }
  } else if (threadIdx.x < 32) {
    Phases phases{0};
    for (int step = 0; step < STEPS; ++step) {
      const int s = order[step % 8];
      wait_and_flip(full, s, phases);
      const int value = stages[s][threadIdx.x ^ step % 32];
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(cvta(empty + s)) : "memory");
      out[step * WORDS + threadIdx.x] = value * (s + 1);
    }
  }
}

int main() {
  std::vector<int> in(STEPS * WORDS), out(STEPS * WORDS);
  for (int i = 0; i < STEPS * WORDS; ++i) in[i] = i * i % 4093;
  int *d_in, *d_out;
  cudaMalloc(&d_in, in.size() * 4);
  cudaMalloc(&d_out, in.size() * 4);
  cudaMemcpy(d_in, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
  scale<<<1, 64>>>(d_in, d_out);
  cudaMemcpy(out.data(), d_out, in.size() * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  unsigned checksum = 0;
  for (int i = 0; i < STEPS * WORDS; ++i) {
    const int step = i / WORDS, lane = i % WORDS;
    wrong += out[i] != in[step * WORDS + (lane ^ step % 32)] * (ORDER[step % 8] + 1);
    checksum = checksum * 31 + out[i];
  }
  printf("elements: %d, wrong elements: %d\nchecksum: %08x\n", STEPS * WORDS, wrong, checksum);
  printf("%s\n", wrong ? "FAILED" : "PASSED");
  cudaFree(d_in);
  cudaFree(d_out);
}
