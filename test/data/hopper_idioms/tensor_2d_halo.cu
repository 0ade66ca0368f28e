// A stencil loads each tile together with its halo. Boxes begin above and to the left of the matrix, at negative coordinates, and reach
// beyond its other edges. Elements outside arrive as zeros, so the kernel has no case for an edge. The inner halo has four floats, because
// a box begins at a multiple of 16 bytes.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int H = 50, W = 76;            // the matrix
constexpr int TH = 16, TW = 32;          // the outputs of a block
constexpr int BH = TH + 2, BW = TW + 8;  // the box

__device__ inline uint32_t u32_of(const void* p) { return __cvta_generic_to_shared(p); }

__global__ __launch_bounds__(256) void five_points(const __grid_constant__ CUtensorMap map,
                                                   float* out) {
  __shared__ __align__(128) float box[BH][BW];
  __shared__ __align__(8) unsigned long long full;
  const int x0 = blockIdx.x * TW, y0 = blockIdx.y * TH;
  const auto wait = [&] {
    unsigned ok;
    do {
      asm volatile(
          "{\n\t.reg .pred p;\n\t"
          "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\t"
          "selp.b32 %0, 1, 0, p;\n\t}"
          : "=r"(ok)
          : "r"(u32_of(&full))
          : "memory");
    } while (ok == 0);
  };
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(u32_of(&full)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(u32_of(&full)),
                 "r"(BH * BW * 4)
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2, %3}], [%4];"
        :
        : "r"(u32_of(box)), "l"(&map), "r"(x0 - 4), "r"(y0 - 1), "r"(u32_of(&full))
        : "memory");
  }
  __syncthreads();  // the mbarrier is initialised
  wait();
  for (int i = threadIdx.x; i < TH * TW; i += blockDim.x) {
    const int x = i % TW, y = i / TW;
    if (x0 + x >= W || y0 + y >= H) continue;
    const float* at = &box[y + 1][x + 4];
    out[(y0 + y) * W + x0 + x] = 4 * at[0] - at[-1] - at[1] - at[-BW] - at[BW];
  }
}

int main() {
  std::vector<float> in(H * W), out(H * W);
  for (int i = 0; i < H * W; ++i) in[i] = float(i * 37 % 256 + 1);
  float *d_in, *d_out;
  cudaMalloc(&d_in, sizeof(float) * H * W);
  cudaMalloc(&d_out, sizeof(float) * H * W);
  cudaMemcpy(d_in, in.data(), sizeof(float) * H * W, cudaMemcpyHostToDevice);

  // The driver's function is found at run time, so the program is linked without -lcuda.
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault,
                                   &found);
#else
  cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found);
#endif
  if (found != cudaDriverEntryPointSuccess) return printf("FAILED: no cuTensorMapEncodeTiled\n"), 1;
  const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);

  CUtensorMap map{};
  cuuint64_t dims[2] = {W, H};
  cuuint64_t strides[1] = {W * sizeof(float)};
  cuuint32_t box[2] = {BW, BH};
  cuuint32_t steps[2] = {1, 1};
  if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, d_in, dims, strides, box, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    return printf("FAILED: the map is refused\n"), 1;

  five_points<<<dim3((W + TW - 1) / TW, (H + TH - 1) / TH), 256>>>(map, d_out);
  cudaMemcpy(out.data(), d_out, sizeof(float) * H * W, cudaMemcpyDeviceToHost);
  const auto at = [&](int y, int x) {
    return y < 0 || y >= H || x < 0 || x >= W ? 0.0f : in[y * W + x];
  };
  int wrong = 0;
  double checksum = 0;
  for (int y = 0; y < H; ++y) {
    for (int x = 0; x < W; ++x) {
      const float want = 4 * at(y, x) - at(y, x - 1) - at(y, x + 1) - at(y - 1, x) - at(y + 1, x);
      if (!(out[y * W + x] == want)) ++wrong;
      checksum += out[y * W + x] * (1 + (x + y) % 7);
    }
  }
  printf("points: %d, wrong points: %d\n", H * W, wrong);
  printf("checksum: %.0f, a corner: %.0f\n", checksum, out[0]);
  printf(wrong ? "FAILED\n" : "PASSED\n");
  cudaFree(d_in);
  cudaFree(d_out);
  return 0;
}
