// A barrier that counts bytes needs no copy: mbarrier.expect_tx announces bytes, and mbarrier.complete_tx reports them. Here threads that wrote
// by themselves report their bytes. The phase is complete when the arrivals and the bytes have both come.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

constexpr int N = 64;

__device__ uint32_t of(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__global__ void squares(int* out, int* early) {
  __shared__ int value[N];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(of(&bar)), "r"(N + 1) : "memory");
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(of(&bar)),
                 "r"(N * 4)
                 : "memory");
  }
  __syncthreads();
  if (threadIdx.x < N) {
    value[threadIdx.x] = threadIdx.x * threadIdx.x;
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(of(&bar)),
                 "r"(4)
                 : "memory");
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(of(&bar)) : "memory");
  } else {
    uint32_t complete;
    // One arrival is still missing, so the phase cannot be complete.
    asm volatile(
        "{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, "
        "p; }"
        : "=r"(complete)
        : "r"(of(&bar))
        : "memory");
    if (threadIdx.x == N) {
      *early = complete;
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(of(&bar)) : "memory");
    }
    __syncwarp();
    do {
      asm volatile(
          "{ .reg .pred p; mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 p, [%1], 0;\n"
          "  selp.u32 %0, 1, 0, p; }"
          : "=r"(complete)
          : "r"(of(&bar))
          : "memory");
    } while (!complete);
    for (int i = threadIdx.x - N; i < N; i += 32) out[i] = value[N - 1 - i];
  }
}

int main() {
  int *d_out, *d_early, out[N], early;
  cudaMalloc(&d_out, N * 4);
  cudaMalloc(&d_early, 4);
  squares<<<1, N + 32>>>(d_out, d_early);
  cudaMemcpy(out, d_out, N * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(&early, d_early, 4, cudaMemcpyDeviceToHost);
  int wrong = 0, sum = 0;
  for (int i = 0; i < N; ++i) {
    wrong += out[i] != (N - 1 - i) * (N - 1 - i);
    sum += out[i];
  }
  printf("complete too early: %d\nsum: %d, wrong squares: %d\n%s\n", early, sum, wrong,
         wrong || early ? "FAILED" : "PASSED");
  cudaFree(d_out);
  cudaFree(d_early);
}
