// An mbarrier in place of __syncthreads. Each arrival returns a token, the state of the phase at which the thread arrived. A thread waits for
// that phase by its token, and has time for other work in between. Each step of this prefix sum uses the barrier twice.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int N = 256;

typedef unsigned long long token_t;

__device__ token_t arrive(uint32_t bar) {
  token_t token;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(token) : "r"(bar) : "memory");
  return token;
}
__device__ void wait(uint32_t bar, token_t token) {
  uint32_t complete = 0;
  while (!complete) {
    asm volatile(
        "{\n"
        ".reg .pred %%p;\n"
        "mbarrier.test_wait.shared::cta.b64 %%p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, %%p;\n"
        "}\n"
        : "=r"(complete)
        : "r"(bar), "l"(token)
        : "memory");
  }
}

__global__ void prefix_sums(const int* in, int* out, int* idle) {
  __shared__ int value[N];
  __shared__ __align__(8) uint64_t barrier;
  const uint32_t bar = static_cast<uint32_t>(__cvta_generic_to_shared(&barrier));
  const int i = threadIdx.x;
  if (i == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(N) : "memory");
  value[i] = in[i];
  __syncthreads();
  int work = 0;
  for (int distance = 1; distance < N; distance *= 2) {
    const int other = i >= distance ? value[i - distance] : 0;
    token_t token = arrive(bar);
    work += distance * i;  // work that needs no other thread
    wait(bar, token);      // all have read
    value[i] += other;
    token = arrive(bar);
    work ^= distance;
    wait(bar, token);  // all have written
  }
  out[i] = value[i];
  idle[i] = work;
}

int main() {
  std::vector<int> in(N), out(N), idle(N);
  for (int i = 0; i < N; ++i) in[i] = (i * 73 + 11) % 251 - 100;
  int *d_in, *d_out, *d_idle;
  cudaMalloc(&d_in, N * 4);
  cudaMalloc(&d_out, N * 4);
  cudaMalloc(&d_idle, N * 4);
  cudaMemcpy(d_in, in.data(), N * 4, cudaMemcpyHostToDevice);
  prefix_sums<<<1, N>>>(d_in, d_out, d_idle);
  cudaMemcpy(out.data(), d_out, N * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(idle.data(), d_idle, N * 4, cudaMemcpyDeviceToHost);
  int wrong = 0, sum = 0, checksum = 0;
  for (int i = 0; i < N; ++i) {
    sum += in[i];
    int work = 0;
    for (int distance = 1; distance < N; distance *= 2) work = (work + distance * i) ^ distance;
    wrong += out[i] != sum || idle[i] != work;
    checksum ^= out[i] * (i + 1);
  }
  printf("sums: %d, wrong sums: %d\nlast: %d, checksum: %d\n", N, wrong, out[N - 1], checksum);
  printf("%s\n", wrong ? "FAILED" : "PASSED");
  cudaFree(d_in);
  cudaFree(d_out);
  cudaFree(d_idle);
}
