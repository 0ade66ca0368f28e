// flags: -lcuda
// A box of a tensor of five dimensions is loaded, changed in place by the threads and stored again into another tensor. The store leaves
// out the elements outside the tensor, so the words behind each row keep their old value.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

// Sizes of the dimensions, the innermost first. A row has 12 of 16 words.
constexpr int D0 = 12, D1 = 3, D2 = 5, D3 = 2, D4 = 3, PITCH = 16;
constexpr int B0 = 8, B1 = 2, B2 = 2, B3 = 2, B4 = 2;

__device__ uint32_t s_ptr(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

__global__ void negate(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
  __shared__ alignas(128) float box[B4 * B3 * B2 * B1 * B0];
  __shared__ alignas(8) uint64_t bar;
  int at[5];
  int rest = blockIdx.x;
  at[0] = rest % 2 * B0, rest /= 2;
  at[1] = rest % 2 * B1, rest /= 2;
  at[2] = rest % 3 * B2, rest /= 3;
  at[3] = 0;
  at[4] = rest * B4;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(s_ptr(&bar)), "r"(1u) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    uint64_t token;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;"
                 : "=l"(token)
                 : "r"(s_ptr(&bar)), "r"((uint32_t)sizeof box)
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(s_ptr(box)),
        "l"(&from), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]), "r"(s_ptr(&bar))
        : "memory");
    // Only the thread that arrived has the token of the phase. The others wait for it at the block's barrier.
    uint32_t done = 0;
    while (done == 0) {
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
          : "=r"(done)
          : "r"(s_ptr(&bar)), "l"(token)
          : "memory");
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < B4 * B3 * B2 * B1 * B0; i += blockDim.x) box[i] = -box[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3, %4, %5}], [%6];" ::
            "l"(&to),
        "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]), "r"(s_ptr(box))
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

CUtensorMap describe(float* data, int* refused) {
  CUtensorMap map;
  const cuuint64_t dims[] = {D0, D1, D2, D3, D4};
  cuuint64_t strides[4] = {PITCH * sizeof(float)};
  for (int i = 1; i < 4; ++i) strides[i] = strides[i - 1] * dims[i];
  const cuuint32_t box[] = {B0, B1, B2, B3, B4}, steps[] = {1, 1, 1, 1, 1};
  *refused += cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 5, data, dims, strides,
                                     box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                     CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                     CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS;
  return map;
}

int main() {
  constexpr int WORDS = PITCH * D1 * D2 * D3 * D4;
  float *from, *to;
  cudaMallocManaged(&from, WORDS * sizeof(float));
  cudaMallocManaged(&to, WORDS * sizeof(float));
  for (int i = 0; i < WORDS; ++i) {
    from[i] = (float)i;
    to[i] = 0.5f;
  }
  int refused = 0;
  const CUtensorMap a = describe(from, &refused), b = describe(to, &refused);
  negate<<<2 * 2 * 3 * 2, 32>>>(a, b);
  const cudaError_t error = cudaDeviceSynchronize();
  int wrong = 0, kept = 0;
  double sum = 0;
  for (int i = 0; i < WORDS; ++i) {
    const bool inside = i % PITCH < D0;
    wrong += to[i] != (inside ? -(float)i : 0.5f);
    kept += to[i] == 0.5f;
    sum += to[i];
  }
  printf("refused maps: %d, error: %s\n", refused, cudaGetErrorString(error));
  printf("words: %d, wrong words: %d, kept words: %d, sum: %.1f\n", WORDS, wrong, kept, sum);
  printf("%s\n", wrong || refused ? "FAILED" : "PASSED");
  cudaFree(from);
  cudaFree(to);
}
