// The frame of every function of the driver API. A CUresult has the numbers of cudaError_t, so most functions are the runtime's functions
// in this frame. Those calls leave the runtime's last error alone.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "simulator/runtime/api/calls.hpp"

namespace simulator::runtime {

/// Returns the driver's result for an error of the runtime. The two differ in the errors that only the runtime has.
CUresult result_of(cudaError_t error);

/// Returns cudaSuccess if a context is current in the calling thread, else the driver's error.
cudaError_t check_context();

/// Runs `work`, a function that returns cudaError_t, in a function that needs no context but a driver that is initialised: by cuInit, or
/// by any call of the runtime API. `name` is the name of the calling function, here and below.
template <typename Work>
CUresult driver_call(Work work, const char* name = __builtin_FUNCTION()) {
  if (!Call::any()) return CUDA_ERROR_NOT_INITIALIZED;
  const Call call(name, Api::driver);
  return result_of(guarded(work, name));
}

/// Runs `work` in a function that needs a current context: most of the API.
template <typename Work>
CUresult in_context(Work work, const char* name = __builtin_FUNCTION()) {
  return driver_call(
      [&] {
        const cudaError_t error = check_context();
        return error != cudaSuccess ? error : work();
      },
      name);
}

inline void* pointer_of(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
inline void** pointer_in(CUdeviceptr* address) { return reinterpret_cast<void**>(address); }

}  // namespace simulator::runtime
