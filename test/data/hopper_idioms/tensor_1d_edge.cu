// flags: -lcuda
// A tensor of one dimension. The last box reaches beyond the end of the tensor, and its elements there arrive as zeros. They count among
// the bytes that the mbarrier expects, so every block expects the same number of bytes.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int N = 1000, BOX = 128;

__device__ uint32_t smem_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__global__ void sum_boxes(const __grid_constant__ CUtensorMap map, int* sums, int* zeros) {
  __shared__ alignas(128) int box[BOX];
  __shared__ uint64_t barrier;
  const uint32_t mbar = smem_address(&barrier);
  const bool leader = threadIdx.x == 0;
  if (leader) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(mbar));
    asm volatile("fence.mbarrier_init.release.cluster;");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (leader) {
    asm volatile(
        "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2}], [%3];" ::"r"(smem_address(box)),
        "l"(&map), "r"(static_cast<int>(blockIdx.x) * BOX), "r"(mbar)
        : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(mbar), "n"(BOX * 4)
                 : "memory");
  }
  asm volatile(
      "{\n"
      "  .reg .pred ready;\n"
      "WAIT:\n"
      "  mbarrier.try_wait.parity.shared::cta.b64 ready, [%0], %1;\n"
      "  @!ready bra WAIT;\n"
      "}" ::"r"(mbar),
      "r"(0)
      : "memory");
  const int mine = box[threadIdx.x];
  const int count = __syncthreads_count(mine == 0);
  atomicAdd(&sums[blockIdx.x], mine);
  if (leader) zeros[blockIdx.x] = count;
}

int main() {
  std::vector<int> data(N);
  for (int i = 0; i < N; ++i) data[i] = i + 1;
  const int blocks = (N + BOX - 1) / BOX;
  int *d_data, *d_sums, *d_zeros;
  cudaMalloc(&d_data, N * sizeof(int));
  cudaMalloc(&d_sums, blocks * sizeof(int));
  cudaMalloc(&d_zeros, blocks * sizeof(int));
  cudaMemset(d_sums, 0, blocks * sizeof(int));
  cudaMemcpy(d_data, data.data(), N * sizeof(int), cudaMemcpyHostToDevice);

  CUtensorMap map;
  const cuuint64_t size = N, no_stride = 0;  // the driver refuses a null pointer, though it reads no stride
  const cuuint32_t box = BOX, step = 1;
  const CUresult result = cuTensorMapEncodeTiled(
      &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 1, d_data, &size, &no_stride, &box, &step,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    printf("FAILED: cuTensorMapEncodeTiled gives %d\n", static_cast<int>(result));
    return EXIT_FAILURE;
  }
  sum_boxes<<<blocks, BOX>>>(map, d_sums, d_zeros);
  std::vector<int> sums(blocks), zeros(blocks);
  cudaMemcpy(sums.data(), d_sums, blocks * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(zeros.data(), d_zeros, blocks * sizeof(int), cudaMemcpyDeviceToHost);

  int wrong = 0;
  for (int b = 0; b < blocks; ++b) {
    int want = 0, outside = 0;
    for (int i = b * BOX; i < (b + 1) * BOX; ++i) {
      if (i < N) want += data[i];
      else ++outside;
    }
    wrong += sums[b] != want || zeros[b] != outside;
    printf("box %d: sum %d, zeros %d\n", b, sums[b], zeros[b]);
  }
  printf("wrong boxes: %d\n%s\n", wrong, wrong ? "FAILED" : "PASSED");
  cudaFree(d_data);
  cudaFree(d_sums);
  cudaFree(d_zeros);
  return 0;
}
