// flags: -lcuda
// Where does a swizzle put each 16 bytes of a row? One kernel for each swizzle loads a tile and copies shared memory out as it lies. The host
// then looks up every element by the rule: bits 4 and up of the address are added to bits 7 and up without carry.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int ROWS = 16;

__global__ void dump(const __grid_constant__ CUtensorMap map, unsigned* out, int words) {
  extern __shared__ unsigned char raw[];
  // Dynamic shared memory begins anywhere; a tile with a swizzle of 128 bytes begins at a multiple of 1024.
  const uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(raw));
  const uint32_t tile = (base + 1023) / 1024 * 1024;
  const unsigned* words_of_tile = reinterpret_cast<const unsigned*>(raw + (tile - base));
  __shared__ uint64_t bar;
  const uint32_t b = static_cast<uint32_t>(__cvta_generic_to_shared(&bar));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(words * 4)
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
        "{%2, %3}], [%4];" ::"r"(tile),
        "l"(&map), "r"(0), "r"(0), "r"(b)
        : "memory");
  }
  __syncthreads();
  asm volatile(
      "{\n.reg .pred p;\nLAB_WAIT_%=:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
      "@!p bra LAB_WAIT_%=;\n}" ::"r"(b)
      : "memory");
  for (int i = threadIdx.x; i < words; i += blockDim.x) out[i] = words_of_tile[i];
}

int main() {
  struct Case {
    CUtensorMapSwizzle swizzle;
    int bytes;  // of a row, and of the swizzle
  };
  const Case cases[] = {{CU_TENSOR_MAP_SWIZZLE_NONE, 64},
                        {CU_TENSOR_MAP_SWIZZLE_32B, 32},
                        {CU_TENSOR_MAP_SWIZZLE_64B, 64},
                        {CU_TENSOR_MAP_SWIZZLE_128B, 128}};
  unsigned *in, *out;
  cudaMallocManaged(&in, ROWS * 128);
  cudaMallocManaged(&out, ROWS * 128);
  int wrong = 0;
  for (const Case& c : cases) {
    const int words = c.bytes / 4;
    for (int i = 0; i < ROWS * words; ++i) in[i] = (i / words) * 1000 + i % words;
    CUtensorMap map;
    const cuuint64_t size[] = {cuuint64_t(words), ROWS}, stride[] = {cuuint64_t(c.bytes)};
    const cuuint32_t box[] = {cuuint32_t(words), ROWS}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, in, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, c.swizzle,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
      printf("FAILED: the map is refused\n");
      return 1;
    }
    dump<<<1, 64, ROWS * 128 + 1024>>>(map, out, ROWS * words);
    cudaDeviceSynchronize();
    const unsigned pieces = c.swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? 1 : c.bytes / 16;
    for (int row = 0; row < ROWS; ++row) {
      for (int word = 0; word < words; ++word) {
        unsigned address = row * c.bytes + word * 4;
        address ^= (address >> 7) % pieces << 4;
        if (out[address / 4] != unsigned(row * 1000 + word)) ++wrong;
      }
    }
    printf("rows of %3d bytes, %u pieces mixed:", c.bytes, pieces);
    for (int row = 0; row < 8; ++row) printf(" %u", out[row * words] % 1000 / 4);
    printf("\n");
  }
  printf("wrong elements: %d\n%s\n", wrong, wrong ? "FAILED" : "PASSED");
  cudaFree(in);
  cudaFree(out);
}
