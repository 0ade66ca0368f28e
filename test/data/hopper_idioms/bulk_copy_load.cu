// A bulk copy brings a chunk of an array into shared memory. One thread asks for it, and an mbarrier counts its bytes. All threads wait
// for the barrier's first phase. Then the block writes its chunk in reverse order.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int CHUNK = 512;   // ints of a block
constexpr int THREADS = 128;
constexpr int BLOCKS = 6;

__device__ uint32_t smem_ptr(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__global__ void reverse_chunks(const int* in, int* out) {
  __shared__ alignas(128) int chunk[CHUNK];
  __shared__ alignas(8) uint64_t bar;

  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(smem_ptr(&bar)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();

  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem_ptr(&bar)),
                 "r"(static_cast<uint32_t>(sizeof(chunk)))
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(smem_ptr(chunk)),
        "l"(in + blockIdx.x * CHUNK), "r"(static_cast<uint32_t>(sizeof(chunk))),
        "r"(smem_ptr(&bar))
        : "memory");
  }
  asm volatile(
      "{\n"
      ".reg .pred P1;\n"
      "LAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], 0;\n"
      "@P1 bra DONE;\n"
      "bra LAB_WAIT;\n"
      "DONE:\n"
      "}\n" ::"r"(smem_ptr(&bar))
      : "memory");

  for (int i = threadIdx.x; i < CHUNK; i += THREADS) {
    out[blockIdx.x * CHUNK + i] = chunk[CHUNK - 1 - i];
  }
}

int main() {
  const int n = CHUNK * BLOCKS;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = i * 17 + 3;
  int *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_out, n * sizeof(int));
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  reverse_chunks<<<BLOCKS, THREADS>>>(d_in, d_out);
  cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);

  int wrong = 0;
  long long weighted = 0;
  for (int i = 0; i < n; ++i) {
    const int block = i / CHUNK, at = i % CHUNK;
    wrong += out[i] != in[block * CHUNK + CHUNK - 1 - at];
    weighted += static_cast<long long>(out[i]) * (i % 101);
  }
  printf("elements: %d, wrong elements: %d\n", n, wrong);
  printf("weighted sum: %lld\n", weighted);
  printf("last error: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  printf("%s\n", wrong == 0 ? "PASSED" : "FAILED");
  cudaFree(d_in);
  cudaFree(d_out);
}
