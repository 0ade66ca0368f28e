// Hopper's tensor cores: wgmma, the product of a warpgroup (compute capability 9.0; compile for sm_90a).
//
// Four neighbouring warps, the first a multiple of four, compute D = A B + D together. A has 64 x K elements, B K x N and D
// 64 x N; K is 16 with 16-bit elements and 8 with TF32. B lies in shared memory, A there too or in registers as mma.sync takes it.
// Warp w holds rows 16 w to 16 w + 15 of D. With g = lane / 4 and t = lane % 4, a lane holds in d[4 j], d[4 j + 1] columns
// 8 j + 2 t and 8 j + 2 t + 1 of row g; in d[4 j + 2], d[4 j + 3] those of row g + 8.
//
// The tensor core works while the threads go on:
//
//     fence_wgmma()       the registers of D, and of A, are as the tensor core shall take them
//     multiply_async()    as often as wanted
//     commit_wgmma()      makes them a group
//     wait_wgmma<0>()     D may be read, and shared memory be overwritten
//
// Where threads have written A or B with stores, fence_for_copies() and a barrier come first.
// (PTX manual, "Asynchronous Warpgroup Level Matrix Instructions".)
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/shared_address.cuh"
#include "device/tensor_core.cuh"

namespace device {

/// How a tensor copy and wgmma mix the 16-byte pieces of rows, so that pieces of eight rows lie in different banks. A row has at
/// most this many bytes: piece p of row r lies at p ^ (r % 8) with 128 bytes, p ^ (r / 2 % 4) with 64, p ^ (r / 4 % 2) with 32.
enum class Swizzle : uint32_t { none = 0, bytes_128 = 1, bytes_64 = 2, bytes_32 = 3 };

/// Describes a matrix in shared memory for multiply_async. `start` and both distances are multiples of 16 bytes. `stride` leads
/// from one group of eight rows of A (eight columns of B) to the next. `leading` leads from the first 16 bytes of k to the second
/// and matters only without a swizzle. (PTX manual, "Matrix Descriptor Format". Of matrices that are not contiguous in k the
/// manual has a table.)
__device__ inline uint64_t describe_matrix(uint32_t start, uint32_t leading, uint32_t stride,
                                           Swizzle swizzle) {
  return uint64_t{start >> 4 & 0x3fff} | uint64_t{leading >> 4 & 0x3fff} << 16 |
         uint64_t{stride >> 4 & 0x3fff} << 32 | static_cast<uint64_t>(swizzle) << 62;
}

/// Returns the description of the same matrix `bytes` further on, a multiple of 16.
__device__ constexpr uint64_t moved(uint64_t matrix, uint32_t bytes) {
  // The start is in the low word. It never overflows, so the high word need not be added to.
  return (matrix & ~uint64_t{UINT32_MAX}) | (static_cast<uint32_t>(matrix) + bytes / 16);
}

/// Returns a description that is the same in all lanes anyway. The shuffle lets the compiler know, which then keeps it in a register
/// of the warp, where wgmma wants it.
__device__ inline uint64_t same_in_all_lanes(uint64_t matrix) {
  return (matrix & ~uint64_t{UINT32_MAX}) | __shfl_sync(~0u, static_cast<uint32_t>(matrix), 0);
}

/// The direction in which a matrix of 16-bit elements is contiguous. TF32 matrices are contiguous in k.
enum class Contiguous { in_k, across_k };

__device__ inline void fence_wgmma() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit_wgmma() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Waits until at most the PENDING youngest groups are under way.
template <int PENDING>
__device__ void wait_wgmma() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

// The text of an instruction names its operands by numbers: first the registers of D, then the others.
#define SGEMM_NAMES_4 "%0, %1, %2, %3"
#define SGEMM_NAMES_32                                                   \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15" \
  ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define SGEMM_NAMES_64                                                               \
  SGEMM_NAMES_32                                                                     \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47" \
  ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define SGEMM_NAMES_96                                                               \
  SGEMM_NAMES_64                                                                     \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79" \
  ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define SGEMM_NAMES_128                                                                          \
  SGEMM_NAMES_96                                                                                 \
  ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111" \
  ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, " \
  "%127"
#define SGEMM_D_4(i) "+f"(d[i]), "+f"(d[(i) + 1]), "+f"(d[(i) + 2]), "+f"(d[(i) + 3])
#define SGEMM_D_16(i) SGEMM_D_4(i), SGEMM_D_4((i) + 4), SGEMM_D_4((i) + 8), SGEMM_D_4((i) + 12)
#define SGEMM_D_32(i) SGEMM_D_16(i), SGEMM_D_16((i) + 16)
#define SGEMM_D_64(i) SGEMM_D_32(i), SGEMM_D_32((i) + 32)
#define SGEMM_D_96(i) SGEMM_D_64(i), SGEMM_D_32((i) + 64)
#define SGEMM_D_128(i) SGEMM_D_64(i), SGEMM_D_64((i) + 64)

// A in shared memory. TAIL: the flags of 16-bit matrices that are not contiguous in k.
#define SGEMM_WGMMA_SHARED(N, K, TYPE, REGISTERS, A, B, ADDS, TAIL)     \
  asm volatile(                                                         \
      "{\n"                                                             \
      ".reg .pred adds;\n"                                              \
      "setp.ne.b32 adds, " ADDS                                         \
      ", 0;\n"                                                          \
      "wgmma.mma_async.sync.aligned.m64n" N "k" K ".f32." TYPE "." TYPE \
      " {" SGEMM_NAMES_##REGISTERS "}, " A ", " B ", adds, 1, 1" TAIL   \
                                   ";\n"                                \
                                   "}"                                  \
      : SGEMM_D_##REGISTERS(0)                                          \
      : "l"(a), "l"(b), "r"(static_cast<int>(adds)))

// A in registers.
#define SGEMM_WGMMA_REGISTERS(N, K, TYPE, REGISTERS, A0, A1, A2, A3, B, ADDS, TAIL)              \
  asm volatile(                                                                                  \
      "{\n"                                                                                      \
      ".reg .pred adds;\n"                                                                       \
      "setp.ne.b32 adds, " ADDS                                                                  \
      ", 0;\n"                                                                                   \
      "wgmma.mma_async.sync.aligned.m64n" N "k" K ".f32." TYPE "." TYPE                          \
      " {" SGEMM_NAMES_##REGISTERS "}, {" A0 ", " A1 ", " A2 ", " A3 "}, " B ", adds, 1, 1" TAIL \
                                   ";\n"                                                         \
                                   "}"                                                           \
      : SGEMM_D_##REGISTERS(0)                                                                   \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(adds)))

// Each N that there is a function for, with the number of its registers and the names of the operands behind them.
#define SGEMM_EACH_WGMMA(DO)                                        \
  if constexpr (N == 8) {                                           \
    DO("8", 4, "%4", "%5", "%6", "%7", "%8", "%9");                 \
  } else if constexpr (N == 64) {                                   \
    DO("64", 32, "%32", "%33", "%34", "%35", "%36", "%37");         \
  } else if constexpr (N == 128) {                                  \
    DO("128", 64, "%64", "%65", "%66", "%67", "%68", "%69");        \
  } else if constexpr (N == 192) {                                  \
    DO("192", 96, "%96", "%97", "%98", "%99", "%100", "%101");      \
  } else {                                                          \
    static_assert(N == 256, "a case for this N is missing here");   \
    DO("256", 128, "%128", "%129", "%130", "%131", "%132", "%133"); \
  }

/// Begins D = A B + D, or D = A B if not `adds`, with `a` and `b` as describe_matrix() describes them. For all threads of a
/// warpgroup, with the same arguments.
template <Factor FACTOR, int N, Contiguous A = Contiguous::in_k, Contiguous B = Contiguous::in_k>
__device__ void multiply_async(float (&d)[N / 2], uint64_t a, uint64_t b, bool adds) {
#define SGEMM_F16_KK(N, R, A, B, S, ...) SGEMM_WGMMA_SHARED(N, "16", "f16", R, A, B, S, ", 0, 0")
#define SGEMM_F16_MK(N, R, A, B, S, ...) SGEMM_WGMMA_SHARED(N, "16", "f16", R, A, B, S, ", 1, 0")
#define SGEMM_F16_KN(N, R, A, B, S, ...) SGEMM_WGMMA_SHARED(N, "16", "f16", R, A, B, S, ", 0, 1")
#define SGEMM_F16_MN(N, R, A, B, S, ...) SGEMM_WGMMA_SHARED(N, "16", "f16", R, A, B, S, ", 1, 1")
#define SGEMM_BF16_KK(N, R, A, B, S, ...) SGEMM_WGMMA_SHARED(N, "16", "bf16", R, A, B, S, ", 0, 0")
#define SGEMM_BF16_MK(N, R, A, B, S, ...) SGEMM_WGMMA_SHARED(N, "16", "bf16", R, A, B, S, ", 1, 0")
#define SGEMM_BF16_KN(N, R, A, B, S, ...) SGEMM_WGMMA_SHARED(N, "16", "bf16", R, A, B, S, ", 0, 1")
#define SGEMM_BF16_MN(N, R, A, B, S, ...) SGEMM_WGMMA_SHARED(N, "16", "bf16", R, A, B, S, ", 1, 1")
#define SGEMM_TF32(N, R, A, B, S, ...) SGEMM_WGMMA_SHARED(N, "8", "tf32", R, A, B, S, "")
  constexpr bool a_in_k = A == Contiguous::in_k, b_in_k = B == Contiguous::in_k;
  if constexpr (FACTOR == Factor::tf32) {
    static_assert(a_in_k && b_in_k, "TF32 matrices are contiguous in k");
    SGEMM_EACH_WGMMA(SGEMM_TF32)
  } else if constexpr (FACTOR == Factor::f16) {
    if constexpr (a_in_k && b_in_k) {
      SGEMM_EACH_WGMMA(SGEMM_F16_KK)
    } else if constexpr (b_in_k) {
      SGEMM_EACH_WGMMA(SGEMM_F16_MK)
    } else if constexpr (a_in_k) {
      SGEMM_EACH_WGMMA(SGEMM_F16_KN)
    } else {
      SGEMM_EACH_WGMMA(SGEMM_F16_MN)
    }
  } else {
    if constexpr (a_in_k && b_in_k) {
      SGEMM_EACH_WGMMA(SGEMM_BF16_KK)
    } else if constexpr (b_in_k) {
      SGEMM_EACH_WGMMA(SGEMM_BF16_MK)
    } else if constexpr (a_in_k) {
      SGEMM_EACH_WGMMA(SGEMM_BF16_KN)
    } else {
      SGEMM_EACH_WGMMA(SGEMM_BF16_MN)
    }
  }
}

/// The same with A in registers, each warp's 16 rows as mma.sync takes them (tensor_core.cuh). The registers must stay as they are
/// until the product is waited for.
template <Factor FACTOR, int N, Contiguous B = Contiguous::in_k>
__device__ void multiply_async(float (&d)[N / 2], const uint32_t (&a)[4], uint64_t b, bool adds) {
#define SGEMM_F16_K(N, R, ...) SGEMM_WGMMA_REGISTERS(N, "16", "f16", R, __VA_ARGS__, ", 0")
#define SGEMM_F16_N(N, R, ...) SGEMM_WGMMA_REGISTERS(N, "16", "f16", R, __VA_ARGS__, ", 1")
#define SGEMM_BF16_K(N, R, ...) SGEMM_WGMMA_REGISTERS(N, "16", "bf16", R, __VA_ARGS__, ", 0")
#define SGEMM_BF16_N(N, R, ...) SGEMM_WGMMA_REGISTERS(N, "16", "bf16", R, __VA_ARGS__, ", 1")
#define SGEMM_TF32_R(N, R, ...) SGEMM_WGMMA_REGISTERS(N, "8", "tf32", R, __VA_ARGS__, "")
  constexpr bool b_in_k = B == Contiguous::in_k;
  if constexpr (FACTOR == Factor::tf32) {
    static_assert(b_in_k, "TF32 matrices are contiguous in k");
    SGEMM_EACH_WGMMA(SGEMM_TF32_R)
  } else if constexpr (FACTOR == Factor::f16) {
    if constexpr (b_in_k) {
      SGEMM_EACH_WGMMA(SGEMM_F16_K)
    } else {
      SGEMM_EACH_WGMMA(SGEMM_F16_N)
    }
  } else {
    if constexpr (b_in_k) {
      SGEMM_EACH_WGMMA(SGEMM_BF16_K)
    } else {
      SGEMM_EACH_WGMMA(SGEMM_BF16_N)
    }
  }
}

}  // namespace device
