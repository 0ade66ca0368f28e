// Errors: their names and texts, each thread's last error, and the way of a kernel's fault to the program.
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include "simulator/progress.hpp"
#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/diagnostics.hpp"
#include "simulator/runtime/api/simulated_device.hpp"

namespace simulator {
namespace {

runtime::Failure& failure() { return current_device().failure; }
runtime::Waits& waits() { return current_device().waits; }

thread_local cudaError_t last_error = cudaSuccess;
thread_local bool uses_primary_context = false;

void note_use_of_device() {
  if (!runtime::Call::is_drivers()) uses_primary_context = true;
}

// Returns the error of an access to a block that the cluster does not have. An H100 returned it for the ranks 2, 5, 15 and 16 in
// a cluster of 2 or 8 blocks, and the other error for 32 and more, and without clusters.
cudaError_t error_of_rank(uint64_t rank, uint64_t blocks) {
  constexpr uint64_t MOST_RANKS = 32;
  return blocks > 1 && rank < MOST_RANKS ? cudaErrorLaunchFailure : cudaErrorIllegalInstruction;
}

cudaError_t error_of(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::out_of_bounds:
      if (fault.place.kind == AddressKind::cluster)
        return error_of_rank(fault.place.distance, fault.place.bytes);
      return cudaErrorIllegalAddress;
    case FaultKind::use_after_free:
    case FaultKind::no_peer_access:
      return cudaErrorIllegalAddress;
    case FaultKind::misaligned:
      return cudaErrorMisalignedAddress;
    case FaultKind::unknown_instruction:
    case FaultKind::incomplete_warp:
    case FaultKind::bad_tensor_copy:
    case FaultKind::bad_texture:
      return cudaErrorIllegalInstruction;
    case FaultKind::failed_assert:
      return cudaErrorAssert;
    case FaultKind::barrier_divergence:
    case FaultKind::misused_mbarrier:
    case FaultKind::trap:
    case FaultKind::no_cooperative_launch:
    case FaultKind::interrupted:
      return cudaErrorLaunchFailure;
    case FaultKind::stack_overflow:
      return cudaErrorHardwareStackError;
    case FaultKind::no_function:
      return cudaErrorInvalidPc;
    case FaultKind::endless_wait:
    case FaultKind::timed_out:
      return cudaErrorLaunchTimeout;
    case FaultKind::host_memory:
      return cudaErrorMemoryAllocation;
  }
  return cudaErrorLaunchFailure;
}

}  // namespace

std::optional<Fault> last_fault() {
  const std::lock_guard lock(failure().mutex);
  return failure().fault;
}

void set_fault_output(bool on) {
  const std::lock_guard lock(failure().mutex);
  failure().output = on;
}

void clear_fault() {
  const std::lock_guard lock(failure().mutex);
  failure().fault.reset();
  failure().surfaced = false;
  last_error = cudaSuccess;
}

std::optional<std::string> first_wait() {
  const std::lock_guard lock(waits().mutex);
  return waits().first;
}

void forget_waits() {
  const std::lock_guard lock(waits().mutex);
  waits().first.reset();
}

namespace runtime {

thread_local constinit const char* Call::current_name = "";
thread_local constinit Api Call::current_api = Api::none;
std::atomic<bool> Call::has_been_made{false};

bool has_primary_context() { return uses_primary_context; }
void set_primary_context(bool has) { uses_primary_context = has; }

void note_wait() {
  const std::lock_guard lock(waits().mutex);
  if (!waits().first) waits().first = Call::current();
}

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess && !Call::is_drivers()) last_error = error;
  return error;
}

void forget_error() {
  if (!Call::is_drivers()) last_error = cudaSuccess;
}

cudaError_t surface_fault() {
  note_use_of_device();
  runtime::Failure& f = failure();
  const std::lock_guard lock(f.mutex);
  if (!f.fault) return cudaSuccess;
  f.surfaced = true;
  publish(&Watcher::failure_told);
  return error_of(*f.fault);
}

cudaError_t surfaced_fault() {
  note_use_of_device();
  runtime::Failure& f = failure();
  const std::lock_guard lock(f.mutex);
  if (!f.fault || !f.surfaced) return cudaSuccess;
  publish(&Watcher::failure_told);
  return error_of(*f.fault);
}

bool device_failed(SimulatedDevice& device) { return fault_of(device) != cudaSuccess; }

cudaError_t fault_of(SimulatedDevice& device) {
  const std::lock_guard lock(device.failure.mutex);
  return device.failure.fault ? error_of(*device.failure.fault) : cudaSuccess;
}

void kernel_failed(SimulatedDevice& device, Fault fault) {
  runtime::Failure& f = device.failure;
  const std::lock_guard lock(f.mutex);
  if (f.fault) return;
  publish(&Watcher::failed, fault.kernel, error_of(fault), false);
  const Fault& kept = f.fault.emplace(std::move(fault));
  if (f.output) {
    const HiddenProgress hidden;
    std::fputs(kept.text().c_str(), stderr);
  }
}

}  // namespace runtime
}  // namespace simulator

using simulator::runtime::publish;
using simulator::runtime::Watcher;

extern "C" {

cudaError_t cudaGetLastError() {
  publish(&Watcher::error_asked);
  return std::exchange(simulator::last_error, cudaSuccess);
}

cudaError_t cudaPeekAtLastError() {
  publish(&Watcher::error_asked);
  return simulator::last_error;
}

const char* cudaGetErrorName(cudaError_t error) {
  publish(&Watcher::error_asked);
  switch (error) {
#define CUDA_ERROR(name, code, text) \
  case name:                         \
    return #name;
#include <simulated/cuda_error_list.h>
#undef CUDA_ERROR
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  publish(&Watcher::error_asked);
  switch (error) {
#define CUDA_ERROR(name, code, text) \
  case name:                         \
    return text;
#include <simulated/cuda_error_list.h>
#undef CUDA_ERROR
  }
  return "unrecognized error code";
}

}  // extern "C"
