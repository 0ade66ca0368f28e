// flags: -lcuda
// Images in a tensor of four dimensions: channels, columns, rows, images. Each block loads a patch of one image and adds up each channel. Then
// it loads the same patch again one column further to the right, with the barrier's second phase, and adds the difference.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

constexpr int C = 8, W = 21, H = 13, IMAGES = 3;
constexpr int PW = 8, PH = 8;  // a patch

template <typename T>
__device__ uint32_t to_shared(T* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ void mbarrier_wait(uint64_t* bar, uint32_t parity) {
  asm volatile(
      "{\n"
      "  .reg .pred done;\n"
      "again:\n"
      "  mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "  @!done bra again;\n"
      "}\n" ::"r"(to_shared(bar)),
      "r"(parity)
      : "memory");
}

__device__ void load_patch(void* to, const CUtensorMap* map, int x, int y, int image, uint64_t* bar) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(to_shared(to)),
      "l"(map), "r"(0), "r"(x), "r"(y), "r"(image), "r"(to_shared(bar))
      : "memory");
}

__global__ void channel_sums(const __grid_constant__ CUtensorMap map, int2* sums) {
  __shared__ alignas(128) short patch[PH][PW][C];
  __shared__ uint64_t bar;
  const int x = blockIdx.x * PW, y = blockIdx.y * PH, image = blockIdx.z;
  const int block = (image * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(to_shared(&bar)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  int2 sum = {0, 0};
  for (int turn = 0; turn < 2; ++turn) {
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(to_shared(&bar)),
                   "r"(static_cast<uint32_t>(sizeof patch))
                   : "memory");
      load_patch(patch, &map, x + turn, y, image, &bar);
    }
    mbarrier_wait(&bar, turn);
    if (threadIdx.x < C) {
      for (int i = 0; i < PH * PW; ++i) {
        const int value = patch[i / PW][i % PW][threadIdx.x];
        if (turn == 0) sum.x += value;
        sum.y += turn == 0 ? -value : value;
      }
    }
    __syncthreads();  // all have read the patch
  }
  if (threadIdx.x < C) sums[block * C + threadIdx.x] = sum;
}

}  // namespace

int main() {
  std::vector<short> images(C * W * H * IMAGES);
  for (size_t i = 0; i < images.size(); ++i) images[i] = static_cast<short>(i * 31 % 1000 - 300);
  const dim3 grid((W + PW - 1) / PW, (H + PH - 1) / PH, IMAGES);
  const int blocks = static_cast<int>(grid.x * grid.y * grid.z);
  short* d_images;
  int2* d_sums;
  cudaMalloc(&d_images, images.size() * sizeof(short));
  cudaMalloc(&d_sums, blocks * C * sizeof(int2));
  cudaMemcpy(d_images, images.data(), images.size() * sizeof(short), cudaMemcpyHostToDevice);

  CUtensorMap map{};
  const cuuint64_t sizes[] = {C, W, H, IMAGES};
  const cuuint64_t strides[] = {C * 2, C * 2 * W, C * 2 * W * H};
  const cuuint32_t box[] = {C, PW, PH, 1};
  const cuuint32_t steps[] = {1, 1, 1, 1};
  const CUresult encoded = cuTensorMapEncodeTiled(
      &map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 4, d_images, sizes, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  channel_sums<<<grid, 32>>>(map, d_sums);
  std::vector<int2> sums(blocks * C);
  cudaMemcpy(sums.data(), d_sums, sums.size() * sizeof(int2), cudaMemcpyDeviceToHost);

  const auto pixel = [&](int c, int x, int y, int image) {
    return x < W && y < H ? images[((image * H + y) * W + x) * C + c] : 0;
  };
  int wrong = 0;
  long long total = 0, difference = 0;
  for (int b = 0; b < blocks; ++b) {
    const int x0 = b % grid.x * PW, y0 = b / grid.x % grid.y * PH, image = b / (grid.x * grid.y);
    for (int c = 0; c < C; ++c) {
      int2 want = {0, 0};
      for (int i = 0; i < PW * PH; ++i) {
        const int x = x0 + i % PW, y = y0 + i / PW;
        want.x += pixel(c, x, y, image);
        want.y += pixel(c, x + 1, y, image) - pixel(c, x, y, image);
      }
      const int2 got = sums[b * C + c];
      wrong += got.x != want.x || got.y != want.y;
      total += got.x;
      difference += got.y;
    }
  }
  printf("map: %d, sums: %d, wrong sums: %d\n", static_cast<int>(encoded), blocks * C, wrong);
  printf("total: %lld, difference: %lld\n", total, difference);
  printf("%s\n", wrong == 0 ? "PASSED" : "FAILED");
  cudaFree(d_images);
  cudaFree(d_sums);
}
