// Launches of kernels for programs that have CUDA errors of their own.
//
// `kernel<<<...>>>(...)` has no result, and cudaGetLastError() after it also returns and forgets an error of the program from before.
// These launches return their own error, and an earlier one stays as it is.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "kernels/tuned/workspace_scope.hpp"

namespace ladder {

/// Lets a kernel have this much dynamic shared memory. An earlier error stays, though cudaFuncSetAttribute() forgets it.
cudaError_t allow_dynamic_shared(const void* kernel, int bytes);
template <typename... PARAMETERS>
cudaError_t allow_dynamic_shared(void (*kernel)(PARAMETERS...), int bytes) {
  return allow_dynamic_shared(reinterpret_cast<const void*>(kernel), bytes);
}

/// Launches a kernel, unless this thread's launches only count their workspaces.
template <typename... PARAMETERS, typename... ARGUMENTS>
cudaError_t launch_configured(const cudaLaunchConfig_t& config, void (*kernel)(PARAMETERS...),
                              const ARGUMENTS&... arguments) {
  if (WorkspaceScope::only_counts()) return cudaSuccess;
  return cudaLaunchKernelEx(&config, kernel, PARAMETERS(arguments)...);
}

/// Launches a kernel as kernel<<<grid, threads, shared_bytes, stream>>>(arguments...) does, and returns the launch's own error.
template <typename... PARAMETERS, typename... ARGUMENTS>
cudaError_t launch_kernel(void (*kernel)(PARAMETERS...), dim3 grid, int threads,
                          size_t shared_bytes, cudaStream_t stream, const ARGUMENTS&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  return launch_configured(config, kernel, arguments...);
}

}  // namespace ladder
