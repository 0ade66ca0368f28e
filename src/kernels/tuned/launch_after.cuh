// Launches of kernels that follow each other closely on a stream.
//
// Usually a kernel begins when the one before it has ended and its blocks have gone. A kernel that is launched by launch_after() may
// begin earlier, as soon as there is room for its blocks. It prepares itself, and then waits in wait_for_previous_kernel() until
// the one before it has ended and its results can be read. That saves a microsecond or two at each step, which matters for small
// products. Devices before compute capability 9.0 know no such launches: there it is an ordinary one.
// (CUDA programming guide, "Programmatic Dependent Launch and Synchronization".)
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "device/architecture.hpp"
#include "kernels/tuned/launch_kernel.hpp"

namespace ladder {

/// Allows the next kernel to begin, if launch_after() launches it.
__device__ inline void allow_next_kernel() {
  if constexpr (device::COMPILED_FOR >= 90) cudaTriggerProgrammaticLaunchCompletion();
}

/// Waits for the end of the previous kernel. Every thread of a kernel that launch_after() launches calls it before it reads or writes
/// what that kernel writes or reads.
__device__ inline void wait_for_end_of_previous_kernel() {
  if constexpr (device::COMPILED_FOR >= 90) cudaGridDependencySynchronize();
}

/// Does both. Every kernel that launch_after() launches calls it first, if it does nothing before that previous kernels must not see.
__device__ inline void wait_for_previous_kernel() {
  allow_next_kernel();
  wait_for_end_of_previous_kernel();
}

/// Launches a kernel that may begin before the previous kernel on the stream has ended.
template <typename... PARAMETERS, typename... ARGUMENTS>
cudaError_t launch_after(void (*kernel)(PARAMETERS...), dim3 grid, int threads, size_t shared_bytes,
                         cudaStream_t stream, const ARGUMENTS&... arguments) {
  cudaFuncAttributes compiled{};
  const cudaError_t error = cudaFuncGetAttributes(&compiled, kernel);
  if (error != cudaSuccess) return error;
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = compiled.ptxVersion >= 90 ? 1 : 0;  // only if the kernel really waits
  return launch_configured(config, kernel, arguments...);
}

}  // namespace ladder
