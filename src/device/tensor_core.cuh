// The tensor cores' product of small matrices: mma.sync (compute capability 8.0 and later).
//
// A warp computes D = A B + C together. A has 16 x K elements, B K x 8, C and D 16 x 8. Each lane holds a part of each matrix in
// its registers: a fragment. With g = lane / 4 and t = lane % 4, lane l holds of
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

#include "device/architecture.hpp"

namespace device {

/// The compute capability that has these products, 10 * major + minor.
constexpr int TENSOR_CORE_NEEDS = 80;

/// The elements of A and B: 16-bit floating point with 5 or 8 bits of exponent, or FP32 of which 10 bits of fraction count.
enum class Factor { f16, bf16, tf32 };

/// D = A B + C for 16 x 8 x K. D may be C. On an older device it traps.
template <Factor FACTOR, int K>
__device__ void multiply_fragments(float (&d)[4], const uint32_t* a, const uint32_t* b,
                                   const float (&c)[4]) {
  if constexpr (COMPILED_FOR < TENSOR_CORE_NEEDS) {
    __trap();
    __builtin_unreachable();
  }
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

}  // namespace device
