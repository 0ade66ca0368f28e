// The frame of every function of the CUDA runtime API: it remembers the calling thread's last error, and returns
// the device's fault once there is one.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <string>

#include "simulator/fault.hpp"
#include "simulator/runtime/api/events.hpp"
#include "simulator/runtime/queue/queue.hpp"

namespace simulator {
struct SimulatedDevice;
}

namespace simulator::runtime {

/// The fault that made a device unusable, if one did.
struct Failure {
  std::mutex mutex;
  std::optional<Fault> fault;
  bool surfaced = false;  // True if a call has returned it to the program
  bool output = true;     // True if faults are written to stderr
};

/// See first_wait().
struct Waits {
  std::mutex mutex;
  std::optional<std::string> first;
};

/// The API of a function that the program calls.
enum class Api { none, runtime, driver };

/// Marks the calling thread as inside this function of the API. Functions that it calls itself change nothing.
class Call {
 public:
  explicit Call(const char* name, Api api = Api::runtime)
      : is_outermost_(current_api == Api::none) {
    if (!is_outermost_) return;
    current_name = name;
    current_api = api;
    has_been_made = true;
    note_call();
    publish(&Watcher::call_begins);
  }
  ~Call() {
    if (!is_outermost_) return;
    current_name = "";
    current_api = Api::none;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Returns the function that the program called, such as "cudaMemcpy"; empty outside of any.
  static const char* current() { return current_name; }
  /// True within a function of the driver API, even if that calls the runtime.
  static bool is_drivers() { return current_api == Api::driver; }
  /// True if the program has made a call, in any thread. The first one initialises the driver.
  static bool any() { return has_been_made; }

 private:
  const bool is_outermost_;
  static thread_local constinit const char* current_name;
  static thread_local constinit Api current_api;
  static std::atomic<bool> has_been_made;
};

/// True if the runtime has made its device's primary context the calling thread's. Its calls that need a device do.
bool has_primary_context();
void set_primary_context(bool has);

/// Notes that the current call returns only when the device has caught up: see first_wait().
void note_wait();

/// Makes `error` the calling thread's last error, unless it is a success or the call is the driver's. Returns it.
cudaError_t remember(cudaError_t error);

/// Makes the calling thread's last error a success.
void forget_error();

/// Returns the error that a device returns from a call that waits for its work: the fault of an earlier kernel,
/// or cudaSuccess. From now on every call returns that fault.
cudaError_t surface_fault();

/// Returns the fault that has already surfaced, if any. For calls that wait for nothing.
cudaError_t surfaced_fault();

/// True if a kernel of the device has failed, even if the program does not know yet.
bool device_failed(SimulatedDevice& device);
/// Returns the error of the device's failed kernel, or cudaSuccess.
cudaError_t fault_of(SimulatedDevice& device);

/// Records that a kernel of the device failed, and writes the fault to stderr.
void kernel_failed(SimulatedDevice& device, Fault fault);

/// Runs `work`, a function that returns cudaError_t. Keeps exceptions from C callers. `name` is the name of the
/// calling API function, here and in the next two functions.
template <typename Work>
cudaError_t guarded(Work work, const char* name = __builtin_FUNCTION()) {
  const Call call(name);
  if (running() != nullptr)
    return remember(cudaErrorNotPermitted);  // in a host function of a stream
  try {
    return remember(work());
  } catch (const std::bad_alloc&) {
    return remember(cudaErrorMemoryAllocation);
  } catch (const std::exception&) {
    return remember(cudaErrorUnknown);
  }
}

/// Runs a call that needs a working device and waits for its work: most of the API.
template <typename Work>
cudaError_t synchronous(Work work, const char* name = __builtin_FUNCTION()) {
  const cudaError_t fault = surface_fault();
  return fault != cudaSuccess ? remember(fault) : guarded(work, name);
}

/// Runs a call that needs a working device but returns before the device has caught up.
template <typename Work>
cudaError_t asynchronous(Work work, const char* name = __builtin_FUNCTION()) {
  const cudaError_t fault = surfaced_fault();
  return fault != cudaSuccess ? remember(fault) : guarded(work, name);
}

}  // namespace simulator::runtime
