// Instructions for tensor cores: mma.sync multiplies small matrices, and ldmatrix loads their fragments (compute capability 8.0
// and later). stmatrix stores fragments (compute capability 9.0 and later).
//
// A warp computes D = A B + C together. A has 16 x K elements, B K x 8, C and D 16 x 8. Each lane holds a part of each matrix in
// its registers: a fragment. With g = lane / 4 and t = lane % 4, a lane holds these elements of each matrix:
//   C and D   c[0], c[1]: row g, columns 2t and 2t+1; c[2], c[3]: the same columns of row g + 8
//   A         a[0]: row g; a[1]: row g + 8; a[2], a[3]: the same rows in the second half of K
//   B         b[0]: column g in the first half of K; b[1]: in the second half
// A register of A or B holds two 16-bit elements, k = 2t and 2t+1 of its half, or one TF32 element, k = t.
// (PTX manual, "Matrix Fragments for mma".)
//
// C and D are FP32. The products are exact, but the tensor core cuts sums off where FP32 would round them: docs/simulator.md.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/older_device.cuh"
#include "device/shared_address.cuh"

namespace device {

/// The least compute capability that has these products, as 10 * major + minor.
constexpr int TENSOR_CORE_NEEDS = 80;

/// The least compute capability that has stmatrix.
constexpr int MATRIX_STORE_NEEDS = 90;

/// The format of A's and B's elements: 16-bit floating point with 5 or 8 bits of exponent, or FP32 with 10 bits of
/// fraction.
enum class Factor { f16, bf16, tf32 };

/// Computes D = A B + C for 16 x 8 x K. D may be C. Traps on an older device.
template <Factor FACTOR, int K>
__device__ void multiply_fragments(float (&d)[4], const uint32_t* a, const uint32_t* b,
                                   const float (&c)[4]) {
  end_below<TENSOR_CORE_NEEDS>();
#define SGEMM_MMA_2_1(SHAPE, TYPES)                               \
  asm("mma.sync.aligned." SHAPE ".row.col.f32." TYPES             \
      ".f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};" \
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])            \
      : "r"(a[0]), "r"(a[1]), "r"(b[0]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]))
#define SGEMM_MMA_4_2(SHAPE, TYPES)                                                             \
  asm("mma.sync.aligned." SHAPE ".row.col.f32." TYPES                                           \
      ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"                \
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])                                          \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]), \
        "f"(c[2]), "f"(c[3]))
  if constexpr (FACTOR == Factor::f16 && K == 8) {
    SGEMM_MMA_2_1("m16n8k8", "f16.f16");
  } else if constexpr (FACTOR == Factor::f16 && K == 16) {
    SGEMM_MMA_4_2("m16n8k16", "f16.f16");
  } else if constexpr (FACTOR == Factor::bf16 && K == 8) {
    SGEMM_MMA_2_1("m16n8k8", "bf16.bf16");
  } else if constexpr (FACTOR == Factor::bf16 && K == 16) {
    SGEMM_MMA_4_2("m16n8k16", "bf16.bf16");
  } else if constexpr (FACTOR == Factor::tf32 && K == 4) {
    SGEMM_MMA_2_1("m16n8k4", "tf32.tf32");
  } else {
    static_assert(FACTOR == Factor::tf32 && K == 8, "tensor cores have no such product");
    SGEMM_MMA_4_2("m16n8k8", "tf32.tf32");
  }
#undef SGEMM_MMA_2_1
#undef SGEMM_MMA_4_2
}

/// Prepares an operand for mma.sync in TF32. The instruction ignores the operand's low 13 bits, so it rounds toward zero. This
/// function first enlarges the number by a third of a TF32 step (at 1) to two thirds (just below 2), so that the errors fall on both
/// sides. A TF32 number still has its own value after the cut, and so have infinities and NaN. Rounding to nearest (cvt.rna.tf32) is
/// only a little more accurate and takes several instructions.
__device__ inline uint32_t to_tf32(float x) {
  constexpr float FACTOR = 1.000338f;  // 1 + ln 2 / 2 steps: no bias over all numbers of a binade
  return __float_as_uint(x * FACTOR);
}

/// Loads COUNT (1, 2 or 4) matrices of 8 x 8 16-bit elements from shared memory. Lane l's `row` is the address of row l % 8 of
/// matrix l / 8: 8 elements on a 16-byte boundary. The lanes beyond the last matrix pass any address. Lane l receives, in
/// registers[i], elements 2 (l % 4) and 2 (l % 4) + 1 of row l / 4 of matrix i: fragments of A as mma.sync takes them. TRANSPOSED:
/// it receives rows 2 (l % 4) and 2 (l % 4) + 1 of column l / 4 instead: fragments of a row-major B.
template <int COUNT, bool TRANSPOSED = false>
__device__ void load_matrices(uint32_t* registers, const void* row) {
  static_assert(COUNT == 1 || COUNT == 2 || COUNT == 4, "ldmatrix loads 1, 2 or 4 matrices");
  end_below<TENSOR_CORE_NEEDS>();
  const uint32_t address = shared_address(row);
#define SGEMM_LDMATRIX_1(TRANS)                                                \
  asm volatile("ldmatrix.sync.aligned.m8n8.x1" TRANS ".shared.b16 {%0}, [%1];" \
               : "=r"(registers[0])                                            \
               : "r"(address)                                                  \
               : "memory")
#define SGEMM_LDMATRIX_2(TRANS)                                                    \
  asm volatile("ldmatrix.sync.aligned.m8n8.x2" TRANS ".shared.b16 {%0, %1}, [%2];" \
               : "=r"(registers[0]), "=r"(registers[1])                            \
               : "r"(address)                                                      \
               : "memory")
#define SGEMM_LDMATRIX_4(TRANS)                                                                 \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4" TRANS ".shared.b16 {%0, %1, %2, %3}, [%4];"      \
               : "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]), "=r"(registers[3]) \
               : "r"(address)                                                                   \
               : "memory")
  if constexpr (COUNT == 1) {
    if constexpr (TRANSPOSED) {
      SGEMM_LDMATRIX_1(".trans");
    } else {
      SGEMM_LDMATRIX_1("");
    }
  } else if constexpr (COUNT == 2) {
    if constexpr (TRANSPOSED) {
      SGEMM_LDMATRIX_2(".trans");
    } else {
      SGEMM_LDMATRIX_2("");
    }
  } else {
    if constexpr (TRANSPOSED) {
      SGEMM_LDMATRIX_4(".trans");
    } else {
      SGEMM_LDMATRIX_4("");
    }
  }
#undef SGEMM_LDMATRIX_1
#undef SGEMM_LDMATRIX_2
#undef SGEMM_LDMATRIX_4
}

/// Stores COUNT (1, 2 or 4) matrices of 8 x 8 16-bit elements to shared memory: the reverse of load_matrices, with the same
/// addresses and the same elements in a lane's registers.
template <int COUNT, bool TRANSPOSED = false>
__device__ void store_matrices(void* row, const uint32_t* registers) {
  static_assert(COUNT == 1 || COUNT == 2 || COUNT == 4, "stmatrix stores 1, 2 or 4 matrices");
  end_below<MATRIX_STORE_NEEDS>();
  const uint32_t address = shared_address(row);
#define SGEMM_STMATRIX_1(TRANS)                                                                \
  asm volatile("stmatrix.sync.aligned.m8n8.x1" TRANS ".shared.b16 [%0], {%1};" ::"r"(address), \
               "r"(registers[0])                                                               \
               : "memory")
#define SGEMM_STMATRIX_2(TRANS)                                                                    \
  asm volatile("stmatrix.sync.aligned.m8n8.x2" TRANS ".shared.b16 [%0], {%1, %2};" ::"r"(address), \
               "r"(registers[0]), "r"(registers[1])                                                \
               : "memory")
#define SGEMM_STMATRIX_4(TRANS)                                                           \
  asm volatile("stmatrix.sync.aligned.m8n8.x4" TRANS                                      \
               ".shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),                      \
               "r"(registers[0]), "r"(registers[1]), "r"(registers[2]), "r"(registers[3]) \
               : "memory")
  if constexpr (COUNT == 1) {
    if constexpr (TRANSPOSED) {
      SGEMM_STMATRIX_1(".trans");
    } else {
      SGEMM_STMATRIX_1("");
    }
  } else if constexpr (COUNT == 2) {
    if constexpr (TRANSPOSED) {
      SGEMM_STMATRIX_2(".trans");
    } else {
      SGEMM_STMATRIX_2("");
    }
  } else {
    if constexpr (TRANSPOSED) {
      SGEMM_STMATRIX_4(".trans");
    } else {
      SGEMM_STMATRIX_4("");
    }
  }
#undef SGEMM_STMATRIX_1
#undef SGEMM_STMATRIX_2
#undef SGEMM_STMATRIX_4
}

}  // namespace device
