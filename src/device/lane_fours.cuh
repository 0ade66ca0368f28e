// How a warp's lanes share 128 neighbours of a row, four each.
#pragma once

#include "device/vector_access.cuh"

namespace device {

/// The four of 128 neighbours that belong to a lane. VECTOR: the neighbours from 4 * lane on, which one access of 16 bytes moves.
/// Otherwise every 32nd from `lane` on, so that neighbouring lanes access neighbours: a warp then touches a quarter of the sectors.
template <bool VECTOR>
struct LaneFour {
  static constexpr int OF = 128;
  int lane;

  __device__ int place(int j) const { return VECTOR ? 4 * lane + j : lane + 32 * j; }

  /// Loads the lane's four of the 128 that begin at `row`. Only the first `count` (any number) lie inside the matrix; the others become
  /// zero and are not read. VECTOR: `row` lies at a multiple of 16 bytes.
  __device__ float4 load(const float* row, int count) const {
    if constexpr (VECTOR) return load4<true>(row + 4 * lane, count - 4 * lane);
    return {place(0) < count ? row[place(0)] : 0.0f, place(1) < count ? row[place(1)] : 0.0f,
            place(2) < count ? row[place(2)] : 0.0f, place(3) < count ? row[place(3)] : 0.0f};
  }

  /// Loads the lane's four of 128 in shared memory, which begin at a multiple of 16 bytes.
  __device__ void fetch(float* four, const float* shared) const {
    if constexpr (VECTOR) {
      fetch4(four, shared + 4 * lane);
    } else {
#pragma unroll
      for (int j = 0; j < 4; ++j) four[j] = shared[place(j)];
    }
  }

  /// Stores the lane's four of 128 in shared memory, which begin at a multiple of 16 bytes.
  __device__ void put(float* shared, const float* four) const {
    if constexpr (VECTOR) {
      *reinterpret_cast<float4*>(shared + 4 * lane) = {four[0], four[1], four[2], four[3]};
    } else {
#pragma unroll
      for (int j = 0; j < 4; ++j) shared[place(j)] = four[j];
    }
  }
};

}  // namespace device
