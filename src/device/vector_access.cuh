// Loads and stores of neighbouring floats of a row, in one wide access where alignment allows it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/architecture.hpp"
#include "device/blend.cuh"

namespace device {

/// Eight floats that one access moves.
struct alignas(32) float8 {
  float4 low, high;
};

/// Returns how many rows (or columns) of a tile lie inside the matrix. The tile has `tile` rows; the matrix has `left` rows
/// from the tile's first row on. Zero or less means none.
__device__ inline int part_inside(int64_t left, int tile) {
  return left < tile ? static_cast<int>(left) : tile;
}

/// Loads two neighbours from `source` on. Only the first `count` (any number) lie inside the matrix; the others become zero and
/// are not read. VECTOR: one load of 8 bytes if both lie inside.
template <bool VECTOR>
__device__ inline float2 load2(const float* source, int count) {
  if (VECTOR && count >= 2) return *reinterpret_cast<const float2*>(source);
  return {count > 0 ? source[0] : 0.0f, count > 1 ? source[1] : 0.0f};
}

/// Loads four neighbours from `source` on. Only the first `count` (any number) lie inside the matrix; the others become
/// zero and are not read. VECTOR: one load of 16 bytes if all four lie inside.
template <bool VECTOR>
__device__ inline float4 load4(const float* source, int count) {
  if (VECTOR && count >= 4) return *reinterpret_cast<const float4*>(source);
  return {count > 0 ? source[0] : 0.0f, count > 1 ? source[1] : 0.0f, count > 2 ? source[2] : 0.0f,
          count > 3 ? source[3] : 0.0f};
}

/// Loads eight neighbours; otherwise like load4(). VECTOR: one load of 32 bytes if the device has such loads (compute
/// capability 10.0 and later), otherwise two loads of 16 bytes.
template <bool VECTOR>
__device__ inline float8 load8(const float* source, int count) {
  if (VECTOR && count >= 8) {
    if constexpr (COMPILED_FOR >= 100) {
      float8 v;
      asm volatile("ld.global.v8.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                   : "=f"(v.low.x), "=f"(v.low.y), "=f"(v.low.z), "=f"(v.low.w), "=f"(v.high.x),
                     "=f"(v.high.y), "=f"(v.high.z), "=f"(v.high.w)
                   : "l"(source));
      return v;
    } else {
      return *reinterpret_cast<const float8*>(source);
    }
  }
  return {load4<VECTOR>(source, count), load4<VECTOR>(source + 4, count - 4)};
}

/// Fetches four neighbours from a 16-byte boundary in shared memory into registers, in one load.
__device__ inline void fetch4(float* registers, const float* shared) {
  const float4 v = *reinterpret_cast<const float4*>(shared);
  registers[0] = v.x;
  registers[1] = v.y;
  registers[2] = v.z;
  registers[3] = v.w;
}

/// Writes c[j] = alpha * sum[j] + beta * c[j] for the first `count` of two neighbours. VECTOR: in accesses of 8 bytes if
/// both lie inside the matrix.
template <bool VECTOR>
__device__ inline void store2(float* c, int count, float alpha, const float* sum, float beta) {
  if (VECTOR && count >= 2) {
    float2 old{};
    if (beta != 0.0f) old = *reinterpret_cast<const float2*>(c);
    *reinterpret_cast<float2*>(c) = {blend(alpha, sum[0], beta, &old.x),
                                     blend(alpha, sum[1], beta, &old.y)};
    return;
  }
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    if (j < count) c[j] = blend(alpha, sum[j], beta, &c[j]);
  }
}

/// Writes c[j] = alpha * sum[j] + beta * c[j] for the first `count` of four neighbours. VECTOR: in accesses of 16 bytes
/// if all four lie inside the matrix.
template <bool VECTOR>
__device__ inline void store4(float* c, int count, float alpha, const float* sum, float beta) {
  if (VECTOR && count >= 4) {
    float4 old{};
    if (beta != 0.0f) old = *reinterpret_cast<const float4*>(c);
    *reinterpret_cast<float4*>(c) = {
        blend(alpha, sum[0], beta, &old.x), blend(alpha, sum[1], beta, &old.y),
        blend(alpha, sum[2], beta, &old.z), blend(alpha, sum[3], beta, &old.w)};
    return;
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    if (j < count) c[j] = blend(alpha, sum[j], beta, &c[j]);
  }
}

}  // namespace device
