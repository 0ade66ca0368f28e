// flags: -lcuda
// cuda::barrier with tensor copies, as in NVIDIA's guide: a block takes a box of a matrix, adds to it, and stores it back. The
// barrier's current phase waits for all threads and for the bytes that the copying thread announces.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cuda/barrier>
#include <utility>
#include <vector>

namespace bulk = cuda::device::experimental;
using barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int WIDTH = 96, HEIGHT = 40, BOX_WIDTH = 32, BOX_HEIGHT = 8;

__global__ void add_to_boxes(const __grid_constant__ CUtensorMap map, int by) {
  __shared__ __align__(128) int box[BOX_HEIGHT][BOX_WIDTH];
  __shared__ barrier arrived;
  if (threadIdx.x == 0) {
    init(&arrived, blockDim.x);
    bulk::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  const int x = static_cast<int>(blockIdx.x) * BOX_WIDTH;
  for (int y = 0; y < HEIGHT; y += BOX_HEIGHT) {
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
      bulk::cp_async_bulk_tensor_2d_global_to_shared(&box, &map, x, y, arrived);
      token = cuda::device::barrier_arrive_tx(arrived, 1, sizeof box);
    } else {
      token = arrived.arrive();
    }
    arrived.wait(std::move(token));
    for (int row = 0; row < BOX_HEIGHT; ++row) box[row][threadIdx.x] += by;
    bulk::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
      bulk::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, &box);
      bulk::cp_async_bulk_commit_group();
      bulk::cp_async_bulk_wait_group_read<0>();
    }
    __syncthreads();
  }
}

int main() {
  std::vector<int> matrix(WIDTH * HEIGHT);
  for (int i = 0; i < WIDTH * HEIGHT; ++i) matrix[static_cast<size_t>(i)] = i;
  int* device = nullptr;
  cudaMalloc(&device, matrix.size() * sizeof(int));
  cudaMemcpy(device, matrix.data(), matrix.size() * sizeof(int), cudaMemcpyHostToDevice);

  CUtensorMap map{};
  const cuuint64_t sizes[2] = {WIDTH, HEIGHT};
  const cuuint64_t strides[1] = {WIDTH * sizeof(int)};
  const cuuint32_t box[2] = {BOX_WIDTH, BOX_HEIGHT}, steps[2] = {1, 1};
  const CUresult encoded = cuTensorMapEncodeTiled(
      &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, device, sizes, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  add_to_boxes<<<WIDTH / BOX_WIDTH, BOX_WIDTH>>>(map, 1000);
  const cudaError_t ended = cudaDeviceSynchronize();
  cudaMemcpy(matrix.data(), device, matrix.size() * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < WIDTH * HEIGHT; ++i) wrong += matrix[static_cast<size_t>(i)] != i + 1000;
  printf("%d, %s\n", static_cast<int>(encoded), cudaGetErrorName(ended));
  printf("%d %d %d, %d wrong\n%s\n", matrix[0], matrix[95], matrix.back(), wrong,
         wrong == 0 ? "PASSED" : "FAILED");
  cudaFree(device);
}
