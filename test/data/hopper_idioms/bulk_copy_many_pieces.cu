// Each lane of one warp copies one row of a matrix, and all rows count at one mbarrier. One lane announces the bytes of all rows before the
// others begin. The rows lie closer together in shared memory than in global memory, and they have an L2 cache hint.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int ROWS = 32, COLS = 48, PITCH = 60;  // ints; a row begins at a multiple of 16 bytes

struct Smem {
  alignas(16) int rows[ROWS][COLS];
  uint64_t arrived;
};

__device__ uint32_t addr(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

__global__ void column_sums(const int* matrix, int* sums) {
  __shared__ Smem s;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(addr(&s.arrived)), "r"(1));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  if (warp == 0) {
    if (lane == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(addr(&s.arrived)),
                   "r"((uint32_t)sizeof s.rows)
                   : "memory");
    }
    __syncwarp();
    uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
        " [%0], [%1], %2, [%3], %4;"
        :
        : "r"(addr(s.rows[lane])), "l"(matrix + lane * PITCH), "r"((uint32_t)sizeof s.rows[0]),
          "r"(addr(&s.arrived)), "l"(policy)
        : "memory");
  }
  uint32_t done = 0;
  while (!done) {
    asm volatile(
        "{ .reg .pred p;\n"
        "  mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n"
        "  selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(addr(&s.arrived)), "r"(0)
        : "memory");
  }
  if (threadIdx.x < COLS) {
    int sum = 0;
    for (int row = 0; row < ROWS; ++row) sum += s.rows[row][threadIdx.x];
    sums[threadIdx.x] = sum;
  }
}

int main() {
  std::vector<int> matrix(ROWS * PITCH);
  for (size_t i = 0; i < matrix.size(); ++i) matrix[i] = (int)(i * i % 1009);
  int *d_matrix, *d_sums;
  cudaMalloc(&d_matrix, matrix.size() * sizeof(int));
  cudaMalloc(&d_sums, COLS * sizeof(int));
  cudaMemcpy(d_matrix, matrix.data(), matrix.size() * sizeof(int), cudaMemcpyHostToDevice);
  column_sums<<<1, 64>>>(d_matrix, d_sums);
  int sums[COLS];
  cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int col = 0; col < COLS; ++col) {
    int want = 0;
    for (int row = 0; row < ROWS; ++row) want += matrix[(size_t)(row * PITCH + col)];
    if (sums[col] != want) ++wrong;
  }
  printf("columns: %d, wrong sums: %d\n", COLS, wrong);
  printf("first: %d, last: %d\n", sums[0], sums[COLS - 1]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d_sums);
  cudaFree(d_matrix);
}
