// Pi by darts: each thread has its own generator (an LCG with a skip), the hits are counted in integers.
// Easily got wrong: threads that start from neighbouring seeds of a poor generator are not independent.
#include <cstdio>

__host__ __device__ unsigned hits(unsigned seed, int darts) {
  unsigned long long state = seed * 6364136223846793005ull + 1442695040888963407ull, count = 0;
  for (int i = 0; i < darts; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const unsigned x = unsigned(state >> 40);
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const unsigned y = unsigned(state >> 40);
    count += (unsigned long long)x * x + (unsigned long long)y * y < 1ull << 48;
  }
  return unsigned(count);
}

__global__ void throw_darts(int darts, unsigned long long* total) {
  unsigned mine = hits(blockIdx.x * blockDim.x + threadIdx.x, darts);
  for (int d = 16; d; d /= 2) mine += __shfl_down_sync(0xffffffff, mine, d);
  if (threadIdx.x % 32 == 0) atomicAdd(total, (unsigned long long)mine);
}

int main() {
  const int threads = 1024, darts = 100;
  unsigned long long* total;
  cudaMallocManaged(&total, sizeof *total);
  *total = 0;
  throw_darts<<<threads / 128, 128>>>(darts, total);
  cudaDeviceSynchronize();
  unsigned long long expected = 0;
  for (int t = 0; t < threads; ++t) expected += hits(t, darts);
  printf("%llu of %d, pi is about %.4f %s\n", *total, threads * darts, 4.0 * *total / (threads * darts),
         *total == expected ? "PASSED" : "FAILED");
  cudaFree(total);
}
