// What every function of the CUDA runtime API does around its own work: remember the calling thread's last
// error, and answer with the device's fault once there is one.
#pragma once

#include <cuda_runtime_api.h>

#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <string>

#include "simulator/fault.hpp"
#include "simulator/runtime/api/events.hpp"

namespace simulator::runtime {

/// The fault that made a device unusable, if one did.
struct Failure {
  std::mutex mutex;
  std::optional<Fault> fault;
  bool surfaced = false;  // a call has told the program
  bool output = true;     // faults are written to stderr
};

/// See first_wait().
struct Waits {
  std::mutex mutex;
  std::optional<std::string> first;
};

/// While it lives, the calling thread is in this function of the API.
class Call {
 public:
  explicit Call(const char* name) : before_(innermost) {
    innermost = name;
    publish(&Watcher::call_begins);
  }
  ~Call() { innermost = before_; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// "cudaMemcpy": the innermost; empty in none.
  static const char* current() { return innermost; }

 private:
  const char* before_;
  static thread_local constinit const char* innermost;
};

/// The call under way returns once the device has caught up: see first_wait().
void note_wait();

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

/// Runs `work`, a function that returns cudaError_t, and keeps exceptions from C callers. `name` is that of the
/// API's function which calls this, in the other two as well.
template <typename Work>
cudaError_t guarded(Work work, const char* name = __builtin_FUNCTION()) {
  const Call call(name);
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
cudaError_t synchronous(Work work, const char* name = __builtin_FUNCTION()) {
  const cudaError_t fault = surface_fault();
  return fault != cudaSuccess ? remember(fault) : guarded(work, name);
}

/// A call that needs a working device but is answered before the device has caught up.
template <typename Work>
cudaError_t asynchronous(Work work, const char* name = __builtin_FUNCTION()) {
  const cudaError_t fault = surfaced_fault();
  return fault != cudaSuccess ? remember(fault) : guarded(work, name);
}

}  // namespace simulator::runtime
