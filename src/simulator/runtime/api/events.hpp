// What calls of the API do, told to those who watch. A call knows none of them: it says what it has done in plain values,
// and each watcher takes what it wants.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <string>

#include "simulator/hazards/hazard.hpp"

namespace simulator::runtime {

/// Why a call was refused, in words for whoever wrote it.
struct Refusal {
  std::string what;    // "cudaFree was given memory that was freed before: ..."
  std::string advice;  // what to try
  std::string kernel;  // of a launch
};

/// A function for each event, called by the thread that makes the call, before the call returns.
class Watcher {
 public:
  /// Device code is registered: before main, and again when a library with device code is loaded.
  virtual void code_registered() {}
  virtual void call_begins() {}
  /// The program is over. `tidy`: it ended with 0 and no kernel had failed.
  virtual void program_ends(bool /*tidy*/) {}

  struct NewMemory {
    uint64_t base, bytes;
    uint32_t id;        // of the allocation
    bool host_visible;  // host code may access it too
  };
  virtual void allocated(const NewMemory& /*memory*/) {}
  virtual void about_to_free(uint64_t /*base*/, uint64_t /*bytes*/) {}

  /// A kernel has run in the stream. Its name lasts.
  virtual void launched(const std::string& /*kernel*/, cudaStream_t /*stream*/) {}
  /// A copy or fill that returns at once has touched this range.
  virtual void copied(uint64_t /*first*/, uint64_t /*bytes*/, bool /*written*/,
                      cudaStream_t /*stream*/) {}
  /// The program has waited for the work in the stream; for all work.
  virtual void waited_for(cudaStream_t /*stream*/) {}
  virtual void waited_for_all() {}
  /// Streams wait for each other by events from now on.
  virtual void streams_joined() {}
  /// Kernels and copies are at work between these two.
  virtual void work_begins() {}
  virtual void work_ends() {}

  /// The call did something wrong. Published only where hazards are looked for.
  virtual void refused(HazardKind /*kind*/, const Refusal& /*refusal*/) {}
  /// A kernel failed; or its launch did, and nobody has seen what the launch answered.
  virtual void failed(const std::string& /*kernel*/, cudaError_t /*error*/, bool /*at_launch*/) {}
  /// A call answers with the error of a kernel that failed.
  virtual void failure_told() {}
  /// The program asks what the last error was, or what an error means.
  virtual void error_asked() {}

 protected:
  ~Watcher() =
      default;  // none is ever destroyed: static objects may make calls from their destructors
};

/// All watchers, in the order in which they are told. The list is in a room above this one.
std::span<Watcher* const> watchers();

/// publish(&Watcher::waited_for, stream) tells all of them.
template <typename... Parameters, typename... Values>
void publish(void (Watcher::*event)(Parameters...), const Values&... values) {
  for (Watcher* const watcher : watchers()) (watcher->*event)(values...);
}

/// While it lives, the device is at work.
class DeviceAtWork {
 public:
  DeviceAtWork() { publish(&Watcher::work_begins); }
  ~DeviceAtWork() { publish(&Watcher::work_ends); }
  DeviceAtWork(const DeviceAtWork&) = delete;
  DeviceAtWork& operator=(const DeviceAtWork&) = delete;
};

}  // namespace simulator::runtime
