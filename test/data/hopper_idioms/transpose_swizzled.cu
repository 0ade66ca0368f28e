// flags: -lcuda
// A transposition with tensor copies on both sides. The tile arrives with a swizzle of 128 bytes, so threads that read one of its columns
// use different banks. The transposed tile leaves through a second swizzled tile.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int M = 96, N = 64, T = 32;

struct alignas(1024) Tiles {
  float in[T * T];
  float out[T * T];
  uint64_t full;
};

__device__ uint32_t addr(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

// Returns the place of an element of a tile whose rows have 128 bytes.
__device__ int swizzled(int row, int col) {
  return row * T + ((col / 4) ^ (row % 8)) * 4 + col % 4;
}

__global__ void transpose(const __grid_constant__ CUtensorMap from,
                          const __grid_constant__ CUtensorMap to) {
  __shared__ Tiles s;
  const int x = blockIdx.x * T, y = blockIdx.y * T;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(addr(&s.full)), "r"(1) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(addr(&s.full)),
                 "r"(T * T * 4)
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2, %3}], [%4];" ::"r"(addr(s.in)),
        "l"(&from), "r"(x), "r"(y), "r"(addr(&s.full))
        : "memory");
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(addr(&s.full)) : "memory");
  }
  __syncthreads();
  for (uint32_t done = 0; !done;) {
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(addr(&s.full)), "r"(0)
        : "memory");
  }
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int row = warp; row < T; row += blockDim.x / 32) {
    s.out[swizzled(row, lane)] = s.in[swizzled(lane, row)];
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to),
        "r"(y), "r"(x), "r"(addr(s.out))
        : "memory");
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(0) : "memory");
  }
}

CUtensorMap map_of(float* matrix, int rows, int cols) {
  CUtensorMap map;
  const cuuint64_t size[] = {(cuuint64_t)cols, (cuuint64_t)rows}, pitch[] = {cols * sizeof(float)};
  const cuuint32_t box[] = {T, T}, step[] = {1, 1};
  const CUresult result =
      cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix, size, pitch, box,
                             step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) printf("FAILED: the map is refused\n");
  return map;
}

int main() {
  std::vector<float> a(M * N), b(M * N);
  for (int i = 0; i < M * N; ++i) a[i] = (float)i;
  float *d_a, *d_b;
  cudaMalloc(&d_a, M * N * sizeof(float));
  cudaMalloc(&d_b, M * N * sizeof(float));
  cudaMemcpy(d_a, a.data(), M * N * sizeof(float), cudaMemcpyHostToDevice);
  transpose<<<dim3(N / T, M / T), 128>>>(map_of(d_a, M, N), map_of(d_b, N, M));
  cudaMemcpy(b.data(), d_b, M * N * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  double weighted = 0;
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      wrong += !(b[j * M + i] == a[i * N + j]);
      weighted += b[j * M + i] * (j % 5 + 1);
    }
  }
  printf("%d x %d, wrong elements: %d\n", M, N, wrong);
  printf("weighted sum: %.0f\n", weighted);
  printf("%s\n", wrong ? "FAILED" : "PASSED");
  cudaFree(d_a);
  cudaFree(d_b);
}
