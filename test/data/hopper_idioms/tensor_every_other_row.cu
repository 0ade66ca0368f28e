// flags: -lcuda
// Element strides in a tensor map: a box takes every second row of the matrix. So the even and the odd rows arrive as two tiles without gaps.
// The two bytes of each element are a number, which the kernel adds up by tile.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int ROWS = 32, COLS = 64;

__device__ uint32_t shared_u32(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__global__ void even_and_odd(const __grid_constant__ CUtensorMap map, unsigned long long* sums) {
  __shared__ __align__(128) uint16_t tile[2][ROWS / 2][COLS];
  __shared__ uint64_t full[2];
  const int half = threadIdx.x / 64, thread = threadIdx.x % 64;
  if (thread == 0) {  // one thread of each half works with the half's own mbarrier
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_u32(&full[half]))
                 : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_u32(&full[half])),
        "r"(static_cast<uint32_t>(sizeof tile[0]))
        : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_u32(tile[half])),
        "l"(reinterpret_cast<uint64_t>(&map)), "r"(0), "r"(half), "r"(shared_u32(&full[half]))
        : "memory");
  }
  __syncthreads();
  uint32_t ready;
  do {
    asm volatile(
        "{\n .reg .pred ready;\n"
        " mbarrier.try_wait.parity.shared::cta.b64 ready, [%1], %2;\n"
        " selp.u32 %0, 1, 0, ready;\n}"
        : "=r"(ready)
        : "r"(shared_u32(&full[half])), "r"(0)
        : "memory");
  } while (!ready);
  unsigned long long sum = 0;
  for (int row = 0; row < ROWS / 2; ++row) sum += tile[half][row][thread] * (row + 1ull);
  atomicAdd(&sums[half], sum);
}

int main() {
  std::vector<uint16_t> matrix(ROWS * COLS);
  for (int i = 0; i < ROWS * COLS; ++i) matrix[i] = static_cast<uint16_t>(i * 40503u);
  uint16_t* d_matrix;
  unsigned long long *d_sums, sums[2];
  cudaMalloc(&d_matrix, matrix.size() * sizeof(uint16_t));
  cudaMalloc(&d_sums, sizeof sums);
  cudaMemset(d_sums, 0, sizeof sums);
  cudaMemcpy(d_matrix, matrix.data(), matrix.size() * sizeof(uint16_t), cudaMemcpyHostToDevice);
  CUtensorMap map;
  const cuuint64_t size[] = {COLS, ROWS}, pitch[] = {COLS * sizeof(uint16_t)};
  const cuuint32_t box[] = {COLS, ROWS}, every[] = {1, 2};
  const CUresult result =
      cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, d_matrix, size, pitch, box,
                             every, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  even_and_odd<<<1, 128>>>(map, d_sums);
  cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost);
  unsigned long long want[2] = {0, 0};
  for (int row = 0; row < ROWS; ++row) {
    for (int col = 0; col < COLS; ++col) {
      want[row % 2] += matrix[row * COLS + col] * (row / 2 + 1ull);
    }
  }
  const int wrong = (sums[0] != want[0]) + (sums[1] != want[1]);
  printf("map: %d\neven rows: %llu, odd rows: %llu\n", static_cast<int>(result), sums[0], sums[1]);
  printf("wrong sums: %d\n%s\n", wrong, wrong == 0 ? "PASSED" : "FAILED");
  cudaFree(d_matrix);
  cudaFree(d_sums);
}
