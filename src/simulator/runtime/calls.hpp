// What every function of the CUDA runtime API does around its own work: remember the calling thread's last
// error, and answer with the device's fault once there is one.
#pragma once

#include <cuda_runtime_api.h>

#include <exception>
#include <new>

#include "simulator/fault.hpp"

namespace simulator::runtime {

/// Makes `error` the calling thread's last error, unless it is a success. Returns it.
cudaError_t remember(cudaError_t error);

/// The error that a device would answer with to a call which waits for its work: the fault of an earlier
/// kernel, from now on told to every call, or cudaSuccess.
cudaError_t surface_fault();

/// The fault that has surfaced already, if any. Calls that wait for nothing answer with this one.
cudaError_t surfaced_fault();

/// True if a kernel has failed, whether or not the program has been told yet.
bool device_failed();

/// Records that a kernel failed, and writes the fault to stderr.
void kernel_failed(Fault fault);

/// Runs `work`, a function that returns cudaError_t, and keeps exceptions from C callers.
template <typename Work>
cudaError_t guarded(Work work) {
  try {
    return remember(work());
  } catch (const std::bad_alloc&) {
    return remember(cudaErrorMemoryAllocation);
  } catch (const std::exception&) {
    return remember(cudaErrorUnknown);
  }
}

/// A call that needs a working device and waits for its work: most of the API.
template <typename Work>
cudaError_t synchronous(Work work) {
  const cudaError_t fault = surface_fault();
  return fault != cudaSuccess ? remember(fault) : guarded(work);
}

/// A call that needs a working device but is answered before the device has caught up.
template <typename Work>
cudaError_t asynchronous(Work work) {
  const cudaError_t fault = surfaced_fault();
  return fault != cudaSuccess ? remember(fault) : guarded(work);
}

}  // namespace simulator::runtime
