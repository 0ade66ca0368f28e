// How a warp's lanes share 128 neighbours of a row, four each.
#pragma once

#include "device/vector_access.cuh"

namespace device {

/// The four of 128 neighbours that belong to a lane: first(lane), and three more that are STEP apart. VECTOR: four neighbours, which one
/// access of 16 bytes moves. Otherwise every 32nd, so that neighbouring lanes access neighbours: a warp then touches a quarter of the
/// sectors.
template <bool VECTOR>
struct LaneFour {
  static constexpr int STEP = VECTOR ? 1 : 32;

  static __device__ int first(int lane) { return VECTOR ? 4 * lane : lane; }

  /// Loads the lane's four, the first of which is *source. Only the first `count` (any number) of the elements from there on lie inside
  /// the matrix; the others become zero and are not read.
  static __device__ float4 load(const float* source, int count) {
    if constexpr (VECTOR) {
      return load4<true>(source, count);
    } else {
      return {count > 0 ? source[0] : 0.0f, count > STEP ? source[STEP] : 0.0f,
              count > 2 * STEP ? source[2 * STEP] : 0.0f,
              count > 3 * STEP ? source[3 * STEP] : 0.0f};
    }
  }

  /// Writes c[i] = alpha * sum[i] + beta * c[i] for the lane's four, the first of which is *c. Only the first `count` (any number) of the
  /// elements from there on lie inside the matrix.
  static __device__ void store(float* c, int count, float alpha, const float* sum, float beta) {
    if constexpr (VECTOR) {
      store4<true>(c, count, alpha, sum, beta);
    } else {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        if (j * STEP < count) c[j * STEP] = blend(alpha, sum[j], beta, &c[j * STEP]);
      }
    }
  }

  /// Loads the lane's four from shared memory, the first of which is *source. VECTOR: at a multiple of 16 bytes.
  static __device__ void fetch(float* four, const float* source) {
    if constexpr (VECTOR) {
      fetch4(four, source);
    } else {
#pragma unroll
      for (int j = 0; j < 4; ++j) four[j] = source[j * STEP];
    }
  }

  /// Stores the lane's four in shared memory, the first at *target. VECTOR: at a multiple of 16 bytes.
  static __device__ void put(float* target, const float* four) {
    if constexpr (VECTOR) {
      *reinterpret_cast<float4*>(target) = {four[0], four[1], four[2], four[3]};
    } else {
#pragma unroll
      for (int j = 0; j < 4; ++j) target[j * STEP] = four[j];
    }
  }
};

}  // namespace device
