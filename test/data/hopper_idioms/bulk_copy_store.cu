// Threads compute a tile in shared memory, and one bulk copy stores it. Before the copy, each thread makes its stores visible to the copy
// with fence.proxy.async. The thread that copies waits until the copy has read the tile, and before the end until it has written.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#define TILE 256
#define ROUNDS 4

static __device__ inline unsigned shared_addr(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}

__global__ void triangle_numbers(unsigned* out) {
  extern __shared__ __align__(128) unsigned tile[];
  for (int round = 0; round < ROUNDS; ++round) {
    const unsigned first = (blockIdx.x * ROUNDS + round) * TILE;
    for (unsigned i = threadIdx.x; i < TILE; i += blockDim.x) {
      const unsigned n = first + i;
      tile[i] = n * (n + 1) / 2;
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                   :
                   : "l"(out + first), "r"(shared_addr(tile)), "r"(unsigned(TILE * sizeof(unsigned)))
                   : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    __syncthreads();  // the tile may be written again
  }
  if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

int main() {
  constexpr int BLOCKS = 5, N = BLOCKS * ROUNDS * TILE;
  unsigned* d_out;
  cudaMalloc(&d_out, N * sizeof(unsigned));
  triangle_numbers<<<BLOCKS, 64, TILE * sizeof(unsigned)>>>(d_out);
  std::vector<unsigned> out(N);
  cudaMemcpy(out.data(), d_out, N * sizeof(unsigned), cudaMemcpyDeviceToHost);

  int wrong = 0;
  unsigned sum = 0;
  for (unsigned n = 0; n < N; ++n) {
    wrong += out[n] != n * (n + 1) / 2;
    sum += out[n];
  }
  printf("numbers: %d, wrong numbers: %d\n", N, wrong);
  printf("sum modulo 2^32: %u, last: %u\n", sum, out[N - 1]);
  printf("%s\n", wrong == 0 ? "PASSED" : "FAILED");
  cudaFree(d_out);
  return wrong != 0;
}
