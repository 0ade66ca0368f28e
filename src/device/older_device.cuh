// Ends a kernel on a GPU that lacks its instructions.
//
// A program for several GPUs contains code for older ones too. In that code end_below() traps at once and tells the compiler
// that nothing follows. The compiler then drops the rest of the kernel, with the instructions that the older GPU lacks. No
// rung launches such a kernel there (Rung::needs).
#pragma once

#include <cuda_runtime.h>

#include "device/architecture.hpp"

namespace device {

/// Traps if the code is compiled for a compute capability below COMPUTE_CAPABILITY (10 * major + minor).
template <int COMPUTE_CAPABILITY>
__device__ inline void end_below() {
  if constexpr (COMPILED_FOR < COMPUTE_CAPABILITY) {
    __trap();
    __builtin_unreachable();
  }
}

/// Traps if the code is not compiled for sm_90a, the only architecture with wgmma and setmaxnreg.
__device__ inline void end_without_wgmma() {
  if constexpr (!COMPILED_WITH_WGMMA) {
    __trap();
    __builtin_unreachable();
  }
}

}  // namespace device
