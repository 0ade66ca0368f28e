// A pipeline of two blocks of a cluster. st.async stores a word into the other block's shared memory and reports its bytes to a barrier there, so the store itself
// tells that it has come. The second block arrives at the first block's barrier when it has taken the words, and the first may send the next ones.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int THREADS = 32, TURNS = 10;

__device__ uint32_t shared_of(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }
__device__ uint32_t in_block(const void* p, uint32_t rank) {
  uint32_t remote;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(shared_of(p)), "r"(rank));
  return remote;
}
__device__ void wait(const uint64_t* bar, int parity) {
  uint32_t done;
  do {
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(shared_of(bar)), "r"(parity)
        : "memory");
  } while (!done);
}

__global__ __cluster_dims__(2, 1, 1) void hand_over(const int* in, int* out) {
  __shared__ int box[THREADS];
  __shared__ uint64_t full, empty;
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_of(&full)) : "memory");
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_of(&empty)), "r"(THREADS) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
  if (rank == 0) {
    for (int turn = 0; turn < TURNS; ++turn) {
      if (turn > 0) wait(&empty, (turn - 1) & 1);
      const int value = in[turn * THREADS + threadIdx.x] * 3 + 1;
      asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0], %1, [%2];" ::"r"(
                       in_block(&box[threadIdx.x], 1)),
                   "r"(value), "r"(in_block(&full, 1))
                   : "memory");
    }
  } else {
    for (int turn = 0; turn < TURNS; ++turn) {
      if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_of(&full)), "r"(THREADS * 4) : "memory");
      }
      wait(&full, turn & 1);
      out[turn * THREADS + threadIdx.x] = box[threadIdx.x] - box[THREADS - 1 - threadIdx.x];
      __syncwarp();  // the others have read this lane's word too
      asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_block(&empty, 0)) : "memory");
    }
  }
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

int main() {
  constexpr int N = THREADS * TURNS;
  std::vector<int> in(N), out(N);
  for (int i = 0; i < N; ++i) in[i] = i * 97 % 389;
  int *d_in, *d_out;
  cudaMalloc(&d_in, N * 4);
  cudaMalloc(&d_out, N * 4);
  cudaMemcpy(d_in, in.data(), N * 4, cudaMemcpyHostToDevice);
  hand_over<<<2, THREADS>>>(d_in, d_out);
  cudaMemcpy(out.data(), d_out, N * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  unsigned checksum = 0;
  for (int i = 0; i < N; ++i) {
    const int other = i / THREADS * THREADS + THREADS - 1 - i % THREADS;
    wrong += out[i] != 3 * (in[i] - in[other]);
    checksum = checksum * 7 + static_cast<unsigned>(out[i]);
  }
  printf("words: %d, wrong words: %d, checksum: %u\n%s\n", N, wrong, checksum, wrong ? "FAILED" : "PASSED");
  cudaFree(d_in);
  cudaFree(d_out);
}
