// cuda::atomic and cuda::atomic_ref: a histogram of bytes, minima and maxima, a flag that hands data from block to block by release
// and acquire, and a lock of compare_exchange.
#include <cuda_runtime.h>

#include <cstdio>
#include <cuda/atomic>
#include <cuda/std/cstdint>

using Flag = cuda::atomic<int, cuda::thread_scope_device>;

__global__ void count(const unsigned char* text, int n, unsigned int* bins, int* extremes) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n;
       i += static_cast<int>(gridDim.x * blockDim.x)) {
    cuda::atomic_ref<unsigned int, cuda::thread_scope_device> bin(bins[text[i] % 8]);
    bin.fetch_add(1, cuda::memory_order_relaxed);
    cuda::atomic_ref<int, cuda::thread_scope_device> least(extremes[0]), most(extremes[1]);
    least.fetch_min(text[i], cuda::memory_order_relaxed);
    most.fetch_max(text[i], cuda::memory_order_relaxed);
  }
}

__global__ void hand_on(Flag* turn, int* chain) {
  if (threadIdx.x != 0) return;
  const int mine = static_cast<int>(blockIdx.x);
  while (turn->load(cuda::memory_order_acquire) != mine) {
  }
  chain[mine + 1] = chain[mine] * 3 + 1;
  turn->store(mine + 1, cuda::memory_order_release);
}

__global__ void lock_and_add(Flag* lock, double* sum) {
  if (threadIdx.x != 0) return;
  int is_free = 0;
  while (!lock->compare_exchange_weak(is_free, 1, cuda::memory_order_acquire)) is_free = 0;
  *sum += 0.5;
  lock->store(0, cuda::memory_order_release);
}

int main() {
  constexpr int N = 5000, BLOCKS = 12;
  unsigned char* text = nullptr;
  unsigned int* bins = nullptr;
  int *extremes = nullptr, *chain = nullptr;
  double* sum = nullptr;
  Flag* flags = nullptr;
  cudaMallocManaged(&text, N);
  cudaMallocManaged(&bins, 8 * sizeof(unsigned int));
  cudaMallocManaged(&extremes, 2 * sizeof(int));
  cudaMallocManaged(&chain, (BLOCKS + 1) * sizeof(int));
  cudaMallocManaged(&sum, sizeof(double));
  cudaMallocManaged(&flags, 2 * sizeof(Flag));
  for (int i = 0; i < N; ++i) text[i] = static_cast<unsigned char>(10 + i * i % 199);
  for (int i = 0; i < 8; ++i) bins[i] = 0;
  extremes[0] = 1000;
  extremes[1] = chain[0] = 0;
  *sum = 0;
  flags[0].store(0);
  flags[1].store(0);

  count<<<4, 128>>>(text, N, bins, extremes);
  hand_on<<<BLOCKS, 32>>>(&flags[0], chain);
  lock_and_add<<<30, 32>>>(&flags[1], sum);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  unsigned int all = 0;
  for (int i = 0; i < 8; ++i) {
    printf("%u ", bins[i]);
    all += bins[i];
  }
  printf("= %u, from %d to %d\n", all, extremes[0], extremes[1]);
  printf("chain %d, turn %d, sum %g\n", chain[BLOCKS], flags[0].load(), *sum);
  cudaFree(text);
  cudaFree(bins);
  cudaFree(extremes);
  cudaFree(chain);
  cudaFree(sum);
  cudaFree(flags);
}
