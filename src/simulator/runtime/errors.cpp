// Errors: their names and texts, the last one of each thread, and a kernel's fault on its way to the program.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include "simulator/hazards/hazard_store.hpp"
#include "simulator/runtime/calls.hpp"
#include "simulator/runtime/diagnostics.hpp"
#include "simulator/runtime/host_line.hpp"

namespace simulator {
namespace {

// A failure that the program has not been told of.
struct Unasked {
  std::string kernel;
  cudaError_t error = cudaSuccess;
  bool at_launch = false;      // the launch itself, not the kernel
  runtime::CallSite launched;  // from here
};

struct Failure {
  std::mutex mutex;
  std::optional<Fault> fault;
  bool surfaced = false;
  bool output = true;
  std::optional<Unasked> unasked;  // the first
};

Failure& failure() {
  static Failure* const instance =
      new Failure;  // outlives every static object that may still make calls
  return *instance;
}

thread_local cudaError_t last_error = cudaSuccess;

cudaError_t error_of(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::out_of_bounds:
    case FaultKind::use_after_free:
      return cudaErrorIllegalAddress;
    case FaultKind::misaligned:
      return cudaErrorMisalignedAddress;
    case FaultKind::unknown_instruction:
      return cudaErrorIllegalInstruction;
    case FaultKind::failed_assert:
      return cudaErrorAssert;
    case FaultKind::barrier_divergence:
    case FaultKind::trap:
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

// Called with the lock held.
void note_unasked(Failure& f, const std::string& kernel, cudaError_t error, bool at_launch) {
  if (f.unasked || !looks_for_hazards()) return;
  f.unasked = {kernel, error, at_launch, runtime::CallSite::here()};
}

// The program asks what the last error was, or what an error means.
void note_question() {
  Failure& f = failure();
  const std::lock_guard lock(f.mutex);
  if (f.unasked && f.unasked->at_launch) f.unasked.reset();
}

// A call tells the program of the kernel's fault. Called with the lock held.
void note_answer(Failure& f) {
  f.surfaced = true;
  if (f.unasked && !f.unasked->at_launch) f.unasked.reset();
}

Hazard hazard_of(const Unasked& unasked) {
  const runtime::HostLine line = runtime::line_of(unasked.launched);
  const std::string name = cudaGetErrorName(unasked.error);
  Hazard hazard;
  hazard.kind = HazardKind::never_asked;
  hazard.kernel = unasked.kernel;
  hazard.where = line.where;
  hazard.code = name;
  if (unasked.at_launch) {
    hazard.message = {
        "the launch of " + unasked.kernel + " failed (" + name + "), and the program never asked",
        line.text(),
        "cudaGetLastError() behind the launch; if it is not cudaSuccess, print "
        "cudaGetErrorString() of it"};
  } else {
    hazard.message = {
        unasked.kernel + " failed (" + name + "), and no call told the program", line.text(),
        "look at what cudaDeviceSynchronize() or cudaMemcpy returns behind the launch"};
  }
  return hazard;
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

namespace {

struct Waits {
  std::mutex mutex;
  std::optional<std::string> first;
};
Waits& waits() {
  static Waits* const instance = new Waits;
  return *instance;
}

}  // namespace

std::optional<std::string> first_wait() {
  const std::lock_guard lock(waits().mutex);
  return waits().first;
}

void forget_waits() {
  const std::lock_guard lock(waits().mutex);
  waits().first.reset();
}

namespace runtime {

thread_local constinit const char* Call::innermost = "";

void note_wait() {
  const std::lock_guard lock(waits().mutex);
  if (!waits().first) waits().first = Call::current();
}

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

cudaError_t surface_fault() {
  Failure& f = failure();
  const std::lock_guard lock(f.mutex);
  if (!f.fault) return cudaSuccess;
  note_answer(f);
  return error_of(*f.fault);
}

cudaError_t surfaced_fault() {
  Failure& f = failure();
  const std::lock_guard lock(f.mutex);
  if (!f.fault || !f.surfaced) return cudaSuccess;
  note_answer(f);
  return error_of(*f.fault);
}

bool device_failed() {
  const std::lock_guard lock(failure().mutex);
  return failure().fault.has_value();
}

void kernel_failed(Fault fault) {
  Failure& f = failure();
  const std::lock_guard lock(f.mutex);
  if (f.fault) return;
  note_unasked(f, fault.kernel, error_of(fault), false);
  const Fault& kept = f.fault.emplace(std::move(fault));
  if (f.output) std::fputs(kept.text().c_str(), stderr);
}

void launch_failed(const std::string& kernel, cudaError_t error) {
  const std::lock_guard lock(failure().mutex);
  note_unasked(failure(), kernel, error, true);
}

void tell_unasked_errors() {
  std::optional<Unasked> unasked;
  {
    const std::lock_guard lock(failure().mutex);
    unasked = std::exchange(failure().unasked, std::nullopt);
  }
  if (unasked) HazardStore::instance().add(hazard_of(*unasked));
}

}  // namespace runtime
}  // namespace simulator

extern "C" {

cudaError_t cudaGetLastError() {
  simulator::note_question();
  return std::exchange(simulator::last_error, cudaSuccess);
}

cudaError_t cudaPeekAtLastError() {
  simulator::note_question();
  return simulator::last_error;
}

const char* cudaGetErrorName(cudaError_t error) {
  simulator::note_question();
  switch (error) {
#define CUDA_ERROR(name, code, text) \
  case name:                         \
    return #name;
#include <cuda_error_list.h>
#undef CUDA_ERROR
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  simulator::note_question();
  switch (error) {
#define CUDA_ERROR(name, code, text) \
  case name:                         \
    return text;
#include <cuda_error_list.h>
#undef CUDA_ERROR
  }
  return "unrecognized error code";
}

}  // extern "C"
