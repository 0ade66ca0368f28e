// Events of API calls, published to watchers. A call knows no watcher. It publishes its actions as plain values,
// and each watcher handles the events that it needs.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simulator/hazards/hazard.hpp"
#include "simulator/hazards/stream_order.hpp"
#include "simulator/runtime/queue/queue.hpp"

namespace simulator::runtime {

/// The reason why a call was refused, in words for the programmer.
struct Refusal {
  std::string what;    // "cudaFree was given memory that was freed before: ..."
  std::string advice;  // what to try
  std::string kernel;  // of a launch
};

/// One function per event. The thread that makes the call calls it before the call returns.
class Watcher {
 public:
  /// Device code is registered: before main, and again when a library with device code is loaded.
  virtual void code_registered() {}
  virtual void call_begins() {}
  /// The program has ended. `tidy`: it ended with 0 and no kernel had failed.
  virtual void program_ends(bool /*tidy*/) {}

  struct NewMemory {
    uint64_t base, bytes;
    uint32_t id;        // of the allocation
    bool host_visible;  // True if host code may access it too
  };
  virtual void allocated(const NewMemory& /*memory*/) {}
  virtual void about_to_free(uint64_t /*base*/, uint64_t /*bytes*/) {}

  /// An operation with this number will be queued.
  virtual void issued(uint64_t /*number*/) {}
  /// A kernel waits in a stream. `shared`: the starts of the allocations that it may touch and host code too. The reference
  /// to its name stays valid.
  virtual void kernel_queued(const std::string& /*kernel*/, const std::vector<uint64_t>& /*shared*/,
                             const Issue& /*issue*/) {}
  /// A kernel has run, in the thread that ran it. The reference to its name stays valid.
  virtual void launched(const std::string& /*kernel*/, const Issue& /*issue*/) {}
  /// A copy or fill touches this range when its stream comes to it.
  virtual void copied(uint64_t /*first*/, uint64_t /*bytes*/, bool /*written*/,
                      const Issue& /*issue*/) {}
  /// Two operations of different streams use the same memory, and nothing orders them.
  virtual void streams_conflict(const StreamConflict& /*conflict*/) {}
  /// The program has waited for the work before host_clock().
  virtual void waited() {}
  /// Kernels and copies run between these two events.
  virtual void work_begins() {}
  virtual void work_ends() {}

  /// The call was wrong. Published only if hazards are looked for.
  virtual void refused(HazardKind /*kind*/, const Refusal& /*refusal*/) {}
  /// A kernel failed, or its launch failed and nobody saw the launch's return code.
  virtual void failed(const std::string& /*kernel*/, cudaError_t /*error*/, bool /*at_launch*/) {}
  /// A call returns the error of a failed kernel.
  virtual void failure_told() {}
  /// The program asks for the last error or for an error's meaning.
  virtual void error_asked() {}

 protected:
  ~Watcher() = default;  // never destroyed: static destructors may make calls
};

/// Returns all watchers, in the order in which they are called. The list is in a room above this one.
std::span<Watcher* const> watchers();

/// Calls the event's function of every watcher: publish(&Watcher::issued, number).
template <typename... Parameters, typename... Values>
void publish(void (Watcher::*event)(Parameters...), const Values&... values) {
  for (Watcher* const watcher : watchers()) (watcher->*event)(values...);
}

/// Marks the device as at work during its lifetime.
class DeviceAtWork {
 public:
  DeviceAtWork() { publish(&Watcher::work_begins); }
  ~DeviceAtWork() { publish(&Watcher::work_ends); }
  DeviceAtWork(const DeviceAtWork&) = delete;
  DeviceAtWork& operator=(const DeviceAtWork&) = delete;
};

}  // namespace simulator::runtime
