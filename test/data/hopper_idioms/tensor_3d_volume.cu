// flags: -lcuda
// A tensor of three dimensions: each block loads a small brick of a volume and finds its largest value and the place of that value. Bricks
// at the far edges are partly outside; zeros arrive there, and all values inside are positive.
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NX = 40, NY = 18, NZ = 10, BX = 16, BY = 8, BZ = 4 };

struct __align__(128) Brick {
  int v[BZ][BY][BX];
};

__global__ void largest(const __grid_constant__ CUtensorMap volume, int3 bricks, int2* result) {
  __shared__ Brick brick;
  __shared__ uint64_t mbar[1];
  __shared__ int best_value[32], best_place[32];
  uint32_t s_brick, s_mbar;
  // An address in shared memory, by PTX's own conversion.
  asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(s_brick) : "l"(&brick));
  asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(s_mbar) : "l"(mbar));
  const int bx = blockIdx.x % bricks.x, by = blockIdx.x / bricks.x % bricks.y,
            bz = blockIdx.x / (bricks.x * bricks.y);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(s_mbar), "r"(1) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 32) {  // any thread may copy
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(s_mbar),
                 "r"((uint32_t)sizeof(Brick))
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
        "{%2, %3, %4}], [%5];" ::"r"(s_brick),
        "l"(&volume), "r"(bx * BX), "r"(by * BY), "r"(bz * BZ), "r"(s_mbar)
        : "memory");
  }
  asm volatile(
      "{\n"
      ".reg .pred                P1;\n"
      "LAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
      "@P1                       bra DONE;\n"
      "bra                   LAB_WAIT;\n"
      "DONE:\n"
      "}\n" ::"r"(s_mbar),
      "r"(0)
      : "memory");
  int value = -1, place = 0;
  for (int i = threadIdx.x; i < BX * BY * BZ; i += blockDim.x) {
    const int v = brick.v[i / (BX * BY)][i / BX % BY][i % BX];
    if (v > value) {
      value = v;
      place = i;
    }
  }
  for (int d = 16; d > 0; d /= 2) {
    const int v = __shfl_down_sync(~0u, value, d), p = __shfl_down_sync(~0u, place, d);
    if (v > value || (v == value && p < place)) {
      value = v;
      place = p;
    }
  }
  if (threadIdx.x % 32 == 0) {
    best_value[threadIdx.x / 32] = value;
    best_place[threadIdx.x / 32] = place;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < (int)blockDim.x / 32; ++w) {
      if (best_value[w] > value || (best_value[w] == value && best_place[w] < place)) {
        value = best_value[w];
        place = best_place[w];
      }
    }
    result[blockIdx.x] = make_int2(value, place);
  }
}

int main(void) {
  static int volume[NZ][NY][NX];
  unsigned state = 12345;
  for (int z = 0; z < NZ; ++z)
    for (int y = 0; y < NY; ++y)
      for (int x = 0; x < NX; ++x) {
        state = state * 1664525u + 1013904223u;
        volume[z][y][x] = 1 + (int)(state >> 12);
      }
  void* d_volume;
  int2* d_result;
  const int3 bricks = {(NX + BX - 1) / BX, (NY + BY - 1) / BY, (NZ + BZ - 1) / BZ};
  const int n = bricks.x * bricks.y * bricks.z;
  cudaMalloc(&d_volume, sizeof volume);
  cudaMalloc((void**)&d_result, n * sizeof(int2));
  cudaMemcpy(d_volume, volume, sizeof volume, cudaMemcpyHostToDevice);
  CUtensorMap map;
  const cuuint64_t dim[3] = {NX, NY, NZ}, stride[2] = {NX * 4, NX * NY * 4};
  const cuuint32_t box[3] = {BX, BY, BZ}, step[3] = {1, 1, 1};
  if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 3, d_volume, dim, stride, box,
                             step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                             CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
    puts("FAILED: the tensor map is refused");
    return 1;
  }
  largest<<<n, 64>>>(map, bricks, d_result);
  int2* result = (int2*)malloc(n * sizeof(int2));
  cudaMemcpy(result, d_result, n * sizeof(int2), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int b = 0; b < n; ++b) {
    int value = -1, place = 0;
    for (int i = 0; i < BX * BY * BZ; ++i) {
      const int x = b % bricks.x * BX + i % BX, y = b / bricks.x % bricks.y * BY + i / BX % BY,
                z = b / (bricks.x * bricks.y) * BZ + i / (BX * BY);
      const int v = x < NX && y < NY && z < NZ ? volume[z][y][x] : 0;
      if (v > value) {
        value = v;
        place = i;
      }
    }
    wrong += result[b].x != value || result[b].y != place;
  }
  printf("bricks: %d, wrong bricks: %d\n", n, wrong);
  printf("first: %d at %d, last: %d at %d\n", result[0].x, result[0].y, result[n - 1].x,
         result[n - 1].y);
  puts(wrong ? "FAILED" : "PASSED");
  free(result);
  cudaFree(d_volume);
  cudaFree(d_result);
  return 0;
}
