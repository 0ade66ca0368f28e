// Each block computes a tile of a multiplication table in shared memory and stores it with a tensor copy. Tiles at the lower and right edges
// are partly outside the matrix. The copy leaves these elements out, and the padding behind each row keeps its value.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int ROWS = 45, COLS = 84, PITCH = 96, TILE = 32;

__global__ void multiplication_table(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int tile[TILE][TILE];
  const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
  for (int row = threadIdx.y; row < TILE; row += blockDim.y) {
    tile[row][threadIdx.x] = (row0 + row + 1) * (col0 + threadIdx.x + 1);
  }
  // Every thread that stored makes its stores visible to the copy; then they meet.
  asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    const uint32_t source = static_cast<uint32_t>(__cvta_generic_to_shared(&tile[0][0]));
    const uint64_t descriptor = reinterpret_cast<uint64_t>(&map);
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];\n"
        "cp.async.bulk.commit_group;\n"
        "cp.async.bulk.wait_group 0;\n" ::"l"(descriptor),
        "r"(source), "r"(col0), "r"(row0)
        : "memory");
  }
}

int main() {
  int* table;
  cudaMalloc(&table, ROWS * PITCH * sizeof(int));
  cudaMemset(table, 0xff, ROWS * PITCH * sizeof(int));

  void* encode = nullptr;
  cudaDriverEntryPointQueryResult query;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault,
                                   &query);
  if (query != cudaDriverEntryPointSuccess || encode == nullptr) {
    printf("FAILED: the driver has no cuTensorMapEncodeTiled\n");
    return 1;
  }
  CUtensorMap map;
  cuuint64_t size[2] = {COLS, ROWS};
  cuuint64_t stride[1] = {PITCH * sizeof(int)};
  cuuint32_t box[2] = {TILE, TILE};
  cuuint32_t elem_stride[2] = {1, 1};
  CUresult res = ((decltype(cuTensorMapEncodeTiled)*)encode)(
      &map, CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_INT32, 2, table, size, stride, box,
      elem_stride, CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
      CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
      CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (res != CUDA_SUCCESS) {
    printf("FAILED: the driver refuses the tensor map\n");
    return 1;
  }

  const dim3 grid((COLS + TILE - 1) / TILE, (ROWS + TILE - 1) / TILE);
  multiplication_table<<<grid, dim3(TILE, 4)>>>(map);
  std::vector<int> host(ROWS * PITCH);
  cudaMemcpy(host.data(), table, host.size() * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0, padding = 0;
  long long sum = 0;
  for (int row = 0; row < ROWS; ++row) {
    for (int col = 0; col < PITCH; ++col) {
      const int want = col < COLS ? (row + 1) * (col + 1) : -1;
      wrong += host[row * PITCH + col] != want;
      padding += want == -1;
      sum += host[row * PITCH + col];
    }
  }
  printf("elements: %d, padding: %d, wrong words: %d\n", ROWS * COLS, padding, wrong);
  printf("sum: %lld\n%s\n", sum, wrong == 0 ? "PASSED" : "FAILED");
  cudaFree(table);
}
