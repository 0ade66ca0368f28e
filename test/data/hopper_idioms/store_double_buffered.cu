// flags: -lcuda
// Two tiles in shared memory take turns: while a tensor copy stores one, the threads compute the other. Before a tile is written again,
// wait_group.read 1 waits until the store of two turns ago has read it. wait_group 0 at the end waits for the writes.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int TILE_ROWS = 8, COLS = 32, TURNS = 7, BLOCKS = 4;
constexpr int ROWS = TILE_ROWS * TURNS * BLOCKS;

__device__ __forceinline__ uint32_t smem_u32(const void* ptr) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(ptr));
}
template <int N>
__device__ __forceinline__ void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}

// The number of steps of Collatz's sequence from n to 1.
__host__ __device__ int steps_to_one(unsigned n) {
  int steps = 0;
  for (; n > 1; ++steps) n = n % 2 ? 3 * n + 1 : n / 2;
  return steps;
}

__global__ void collatz(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int buffer[2][TILE_ROWS][COLS];
  const bool issues = threadIdx.x == 0;
  for (int turn = 0; turn < TURNS; ++turn) {
    auto& tile = buffer[turn & 1];
    if (issues) bulk_wait_read<1>();
    __syncthreads();
    const int row0 = (blockIdx.x * TURNS + turn) * TILE_ROWS;
    for (int i = threadIdx.x; i < TILE_ROWS * COLS; i += blockDim.x) {
      tile[i / COLS][i % COLS] = steps_to_one((row0 * COLS + i) % 64 + 1);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (issues) {
      asm volatile(
          "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
          "r"(0), "r"(row0), "r"(smem_u32(tile))
          : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
  }
  if (issues) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

int main() {
  int* table;
  cudaMalloc(&table, ROWS * COLS * sizeof(int));
  CUtensorMap map;
  const cuuint64_t size[] = {COLS, ROWS}, pitch[] = {COLS * sizeof(int)};
  const cuuint32_t box[] = {COLS, TILE_ROWS}, step[] = {1, 1};
  if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, table, size, pitch, box, step,
                             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) {
    printf("FAILED: no tensor map\n");
    return 1;
  }
  collatz<<<BLOCKS, 128>>>(map);
  std::vector<int> got(ROWS * COLS);
  cudaMemcpy(got.data(), table, got.size() * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0, most = 0;
  long sum = 0;
  for (int i = 0; i < ROWS * COLS; ++i) {
    wrong += got[i] != steps_to_one(i % 64 + 1);
    if (got[i] > most) most = got[i];
    sum += got[i];
  }
  printf("numbers: %d, wrong numbers: %d\nmost steps: %d, all steps: %ld\n", ROWS * COLS, wrong,
         most, sum);
  printf("%s\n", wrong ? "FAILED" : "PASSED");
  cudaFree(table);
}
