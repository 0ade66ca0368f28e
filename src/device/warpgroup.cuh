// Warpgroups with different work: how they share the registers of their block (compute capability 9.0; compile for sm_90a).
//
// All threads of a block begin with the same number of registers. Warpgroups that only issue copies give most of theirs back,
// and warpgroups that hold accumulators take them. Counts are multiples of 8 from 24 to 256. The kernel's __launch_bounds__
// must name a number of threads and of blocks, and each warpgroup's work is one branch of an if.
// (PTX manual, "setmaxnreg".)
#pragma once

#include <cuda_runtime.h>

#include "device/architecture.hpp"

namespace device {

/// The threads of a warpgroup: four neighbouring warps, the first a multiple of four.
constexpr int WARPGROUP = 128;

/// Keeps COUNT registers for each thread of this warp and gives the others back. For all warps of a warpgroup.
template <int COUNT>
__device__ void keep_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
}

/// Waits until there are COUNT registers for each thread of this warp, and takes them. For all warps of a warpgroup.
template <int COUNT>
__device__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
}

/// A barrier for the threads of warpgroup `number` of the block, from 0 to 14.
__device__ inline void sync_warpgroup(int number) {
  asm volatile("bar.sync %0, %1;" ::"r"(number + 1), "n"(WARPGROUP) : "memory");
}

}  // namespace device
