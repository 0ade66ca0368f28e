// Compares the bits of wgmma's products with bits that were recorded on an H200 (tensor_inputs.hpp says how to call it).
//
// Each product is made four times: with A in registers and in shared memory, and as 8 columns alone and as columns 56 to 63 of
// 64. All four must have the same bits.
#include <cuda_runtime.h>

#include <cstdint>

#include "device/mbarrier.cuh"
#include "device/wgmma.cuh"
#include "tensor_inputs.hpp"

namespace {

using device::Factor;
using device::Swizzle;
using tensor_test::Case;
using tensor_test::TILES;

constexpr int M = 64, N = 8;
constexpr int WIDE = 64;                    // columns of the wide product
constexpr int ROW_BYTES = 32;               // of k, in each format
constexpr uint32_t DIFFERENT = 0xbad0bad0;  // instead of a result, if the four products differ

// Where element (row, byte of k) of a matrix without a swizzle lies: matrices of 8 rows of 16 bytes, the two of the same rows
// side by side.
__device__ int place(int row, int byte) {
  return row / 8 * 256 + byte / 16 * 128 + row % 8 * 16 + byte % 16;
}

template <Factor FACTOR, int COLUMNS, bool IN_REGISTERS>
__device__ void multiply(float (&d)[COLUMNS / 2], const uint32_t (&registers)[4], uint64_t a,
                         uint64_t b, int times) {
  for (int time = 0; time < times; ++time) {
    device::fence_wgmma();
    if constexpr (IN_REGISTERS) {
      device::multiply_async<FACTOR, COLUMNS>(d, registers, b, true);
    } else {
      device::multiply_async<FACTOR, COLUMNS>(d, a, b, true);
    }
    device::commit_wgmma();
    device::wait_wgmma<0>();
  }
}

template <Factor FACTOR, int K>
__global__ void __launch_bounds__(128)
    products(const uint32_t* a, const uint32_t* b, const float* c, float* d, int times) {
  constexpr int BYTES = ROW_BYTES / K;  // of an element
  __shared__ __align__(128) unsigned char of_a[M * ROW_BYTES], of_b[WIDE * ROW_BYTES];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  const int g = thread % 32 / 4, t = thread % 4;
  a += blockIdx.x * M * K;
  b += blockIdx.x * K * N;
  c += blockIdx.x * M * N;
  d += blockIdx.x * M * N;
  const auto put = [](unsigned char* to, uint32_t element) {
    if constexpr (BYTES == 2) {
      *reinterpret_cast<uint16_t*>(to) = static_cast<uint16_t>(element);
    } else {
      *reinterpret_cast<uint32_t*>(to) = element;
    }
  };
  for (int i = thread; i < M * K; i += 128) put(&of_a[place(i / K, i % K * BYTES)], a[i]);
  for (int i = thread; i < WIDE * K; i += 128)  // all groups of 8 columns are alike
    put(&of_b[place(i / K, i % K * BYTES)], b[i % K * N + i / K % N]);
  uint32_t registers[4];
  for (int i = 0; i < 4; ++i) {
    const int row = 16 * warp + g + i % 2 * 8, k = i / 2 * (K / 2) + t * (K / 8);
    const uint32_t first = a[row * K + k];
    registers[i] = BYTES == 2 ? first | a[row * K + k + 1] << 16 : first;
  }
  device::fence_for_copies();
  __syncthreads();

  const uint64_t describes_a =
      device::describe_matrix(device::shared_address(of_a), 128, 256, Swizzle::none);
  const uint64_t describes_b =
      device::describe_matrix(device::shared_address(of_b), 128, 256, Swizzle::none);
  const auto at = [&](int i) { return (16 * warp + g + i / 2 % 2 * 8) * N + 2 * t + i % 2; };
  float narrow[4], narrow_too[4], wide[WIDE / 2], wide_too[WIDE / 2];
  for (int i = 0; i < 4; ++i) narrow[i] = narrow_too[i] = c[at(i)];
  for (int i = 0; i < WIDE / 2; ++i) wide[i] = wide_too[i] = c[at(i % 4)];
  multiply<FACTOR, N, false>(narrow, registers, describes_a, describes_b, times);
  multiply<FACTOR, N, true>(narrow_too, registers, describes_a, describes_b, times);
  multiply<FACTOR, WIDE, false>(wide, registers, describes_a, describes_b, times);
  multiply<FACTOR, WIDE, true>(wide_too, registers, describes_a, describes_b, times);
  for (int i = 0; i < 4; ++i) {
    const uint32_t bits = __float_as_uint(narrow[i]);
    const bool same = bits == __float_as_uint(narrow_too[i]) &&
                      bits == __float_as_uint(wide[WIDE / 2 - 4 + i]) &&
                      bits == __float_as_uint(wide_too[WIDE / 2 - 4 + i]);
    d[at(i)] = __uint_as_float(same ? bits : DIFFERENT);
  }
}

template <Factor FACTOR, int K>
void launch(const uint32_t* a, const uint32_t* b, const float* c, float* d, int times) {
  products<FACTOR, K><<<TILES, 128>>>(a, b, c, d, times);
}

constexpr Case CASES[] = {
    {{"f16", 16, 10, 5, 16}, launch<Factor::f16, 16>},
    {{"bf16", 16, 7, 8, 16}, launch<Factor::bf16, 16>},
    {{"tf32", 32, 10, 8, 8}, launch<Factor::tf32, 8>},
};

}  // namespace

int main(int argc, char** argv) { return tensor_test::compare_bits(argc, argv, M, N, CASES); }
