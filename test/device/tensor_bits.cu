// Compares the bits of mma.sync's products with bits that were recorded on an H200 (tensor_inputs.hpp says how to call it).
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "device/tensor_core.cuh"
#include "tensor_inputs.hpp"

namespace {

using device::Factor;
using tensor_test::Case;
using tensor_test::TILES;

constexpr int M = 16, N = 8;

// D = A B + C with C and D in half precision. They are kept as FP32.
template <int K>
__device__ void multiply_with_half_sums(float (&sum)[4], const uint32_t* a, const uint32_t* b) {
  uint32_t c[2], d[2];
  for (int i = 0; i < 2; ++i)
    c[i] = __half_as_ushort(__float2half_rn(sum[2 * i])) |
           static_cast<uint32_t>(__half_as_ushort(__float2half_rn(sum[2 * i + 1]))) << 16;
  if constexpr (K == 8) {
    asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %6};"
        : "=r"(d[0]), "=r"(d[1])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]));
  } else {
    asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
        "{%8, %9};"
        : "=r"(d[0]), "=r"(d[1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]));
  }
  for (int i = 0; i < 4; ++i)
    sum[i] = __half2float(__ushort_as_half(static_cast<unsigned short>(d[i / 2] >> 16 * (i % 2))));
}

// D = A B + C for one tile a warp, `times` times. Each time C is the D before.
template <Factor FACTOR, int K, bool HALF_SUMS>
__global__ void products(const uint32_t* a, const uint32_t* b, const float* c, float* d,
                         int times) {
  constexpr int PER = FACTOR == Factor::tf32 ? 1 : 2;  // elements in a register
  const int g = static_cast<int>(threadIdx.x) / 4, t = static_cast<int>(threadIdx.x) % 4;
  a += blockIdx.x * M * K;
  b += blockIdx.x * K * N;
  c += blockIdx.x * M * N;
  d += blockIdx.x * M * N;
  constexpr int HALVES = K / (4 * PER);
  uint32_t of_a[2 * HALVES], of_b[HALVES];
  for (int half = 0; half < HALVES; ++half) {
    const int k = half * 4 * PER + t * PER;
    for (int i = 0; i < 2; ++i) {
      const uint32_t* row = a + (g + 8 * i) * K + k;
      of_a[2 * half + i] = PER == 1 ? row[0] : row[0] | row[1] << 16;
    }
    of_b[half] = PER == 1 ? b[k * N + g] : b[k * N + g] | b[(k + 1) * N + g] << 16;
  }
  const int place[4] = {g * N + 2 * t, g * N + 2 * t + 1, (g + 8) * N + 2 * t,
                        (g + 8) * N + 2 * t + 1};
  float sum[4];
  for (int i = 0; i < 4; ++i) sum[i] = c[place[i]];
  for (int time = 0; time < times; ++time) {
    if constexpr (HALF_SUMS) {
      multiply_with_half_sums<K>(sum, of_a, of_b);
    } else {
      device::multiply_fragments<FACTOR, K>(sum, of_a, of_b, sum);
    }
  }
  for (int i = 0; i < 4; ++i) d[place[i]] = sum[i];
}

template <Factor FACTOR, int K, bool HALF_SUMS = false>
void launch(const uint32_t* a, const uint32_t* b, const float* c, float* d, int times) {
  products<FACTOR, K, HALF_SUMS><<<TILES, 32>>>(a, b, c, d, times);
}

constexpr Case CASES[] = {
    {{"f16, k 8", 16, 10, 5, 8}, launch<Factor::f16, 8>},
    {{"f16, k 16", 16, 10, 5, 16}, launch<Factor::f16, 16>},
    {{"bf16, k 8", 16, 7, 8, 8}, launch<Factor::bf16, 8>},
    {{"bf16, k 16", 16, 7, 8, 16}, launch<Factor::bf16, 16>},
    {{"tf32, k 4", 32, 10, 8, 4}, launch<Factor::tf32, 4>},
    {{"tf32, k 8", 32, 10, 8, 8}, launch<Factor::tf32, 8>},
    {{"f16, half sums, k 8", 16, 10, 5, 8, true}, launch<Factor::f16, 8, true>},
    {{"f16, half sums, k 16", 16, 10, 5, 16, true}, launch<Factor::f16, 16, true>},
};

}  // namespace

int main(int argc, char** argv) { return tensor_test::compare_bits(argc, argv, M, N, CASES); }
