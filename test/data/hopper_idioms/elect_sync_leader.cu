// elect.sync chooses one lane of the lanes that execute it. Each warp loads its own part with one bulk copy by the elected lane, waits, and
// works on the part. Which lane is elected does not matter: exactly one per warp must be.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int WARPS = 4, WORDS = 64;

__device__ bool elect_one() {
  uint32_t elected;
  asm volatile(
      "{\n\t"
      ".reg .pred P_OUT;\n\t"
      "elect.sync _|P_OUT, %1;\n\t"
      "selp.b32 %0, 1, 0, P_OUT;\n\t"
      "}"
      : "=r"(elected)
      : "r"(0xffffffffu));
  return elected != 0;
}
// The same, with the number of the elected lane.
__device__ bool elect_one(uint32_t* leader) {
  uint32_t pred = 0, lane = 0;
  asm volatile(
      "{\n"
      ".reg .b32 %%rx;\n"
      ".reg .pred %%px;\n"
      "     elect.sync %%rx|%%px, %2;\n"
      "@%%px mov.s32 %1, 1;\n"
      "     mov.s32 %0, %%rx;\n"
      "}\n"
      : "+r"(lane), "+r"(pred)
      : "r"(0xFFFFFFFF));
  *leader = lane;
  return pred;
}

__global__ void sort_pairs(const int* in, int* out, int* elected) {
  __shared__ alignas(128) int part[WARPS][WORDS];
  __shared__ uint64_t bar[WARPS];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const auto at = [](const void* p) { return (uint32_t)__cvta_generic_to_shared(p); };
  if (elect_one()) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&bar[warp])) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(&bar[warp])),
                 "r"(WORDS * 4)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(at(part[warp])),
        "l"(in + (blockIdx.x * WARPS + warp) * WORDS), "r"(WORDS * 4), "r"(at(&bar[warp]))
        : "memory");
    atomicAdd(elected, 1);
  }
  __syncwarp();  // the warp's own barrier is initialised
  asm volatile(
      "{\n.reg .pred p;\nLAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
      "@p bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(at(&bar[warp]))
      : "memory");
  int2 pair = reinterpret_cast<int2*>(part[warp])[lane];
  if (pair.x > pair.y) pair = make_int2(pair.y, pair.x);
  reinterpret_cast<int2*>(out)[(blockIdx.x * WARPS + warp) * 32 + lane] = pair;
  uint32_t leader;
  const bool is_leader = elect_one(&leader);
  if (is_leader && leader == static_cast<uint32_t>(lane)) atomicAdd(elected + 1, 1);
}

int main() {
  constexpr int BLOCKS = 3, N = BLOCKS * WARPS * WORDS;
  std::vector<int> in(N), out(N);
  for (int i = 0; i < N; ++i) in[i] = (i * 193 + 7) % 997;
  int *d_in, *d_out, *d_elected, elected[2];
  cudaMalloc(&d_in, N * 4);
  cudaMalloc(&d_out, N * 4);
  cudaMalloc(&d_elected, 8);
  cudaMemset(d_elected, 0, 8);
  cudaMemcpy(d_in, in.data(), N * 4, cudaMemcpyHostToDevice);
  sort_pairs<<<BLOCKS, WARPS * 32>>>(d_in, d_out, d_elected);
  cudaMemcpy(out.data(), d_out, N * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(elected, d_elected, 8, cudaMemcpyDeviceToHost);
  int wrong = 0;
  long sum = 0;
  for (int i = 0; i < N; i += 2) {
    const int low = in[i] < in[i + 1] ? in[i] : in[i + 1], high = in[i] + in[i + 1] - low;
    wrong += out[i] != low || out[i + 1] != high;
    sum += (long)out[i] * (i % 13);
  }
  wrong += elected[0] != BLOCKS * WARPS || elected[1] != BLOCKS * WARPS;
  printf("pairs: %d, elected: %d and %d, wrong: %d\n", N / 2, elected[0], elected[1], wrong);
  printf("weighted sum: %ld\n%s\n", sum, wrong ? "FAILED" : "PASSED");
  cudaFree(d_in);
  cudaFree(d_out);
  cudaFree(d_elected);
}
