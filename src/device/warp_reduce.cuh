// redux.sync: the least or largest number of a warp's lanes, in one instruction (compute capability 8.0 and later).
//
// The functions of CUDA, __reduce_min_sync and its kin, do not exist where a source is compiled for an older device.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/older_device.cuh"

namespace device {

/// The least compute capability that has redux.sync, as 10 * major + minor.
constexpr int WARP_REDUCE_NEEDS = 80;

/// Returns the least `number` of the warp's lanes. All lanes call it together.
__device__ inline uint32_t least_of_lanes(uint32_t number) {
  end_below<WARP_REDUCE_NEEDS>();
  uint32_t least;
  asm volatile("redux.sync.min.u32 %0, %1, 0xffffffff;" : "=r"(least) : "r"(number));
  return least;
}

/// Returns the largest `number` of the warp's lanes. All lanes call it together.
__device__ inline uint32_t largest_of_lanes(uint32_t number) {
  end_below<WARP_REDUCE_NEEDS>();
  uint32_t largest;
  asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(largest) : "r"(number));
  return largest;
}

}  // namespace device
