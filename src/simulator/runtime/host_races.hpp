// Accesses of host code to memory that it may not touch: the device's own; and what both see (cudaMallocManaged,
// cudaMallocHost) as long as it has not waited for the kernel or the asynchronous copy at work on it, which is a race.
//
// Here a launch is over when it returns; on a device it may just have begun. So what a launch touched is protected
// until a call that waits for it. An access by host code is then noted, the protection lifted, and the access done:
// the program goes on as if nothing had been. What a launch has only read may be read.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

namespace simulator::runtime {

/// There is device memory from now on: where host code accesses it, which ends the program, it is told of that first.
void watch_host_accesses();

/// An allocation is made that host code sees too; one is about to be freed.
void note_host_memory(uint64_t base);
void forget_host_memory(uint64_t base);

/// The kernel has run in the stream. Nothing is protected unless hazards are looked for. The name must last.
void note_launch(const std::string& kernel, cudaStream_t stream);
/// A copy or fill that returns at once has touched this range. Only whole pages of it are protected.
void note_copy(uint64_t first, uint64_t bytes, bool written, cudaStream_t stream);

/// The program has waited for the work in the stream and, as far as they wait for each other, in others.
void note_synchronised(cudaStream_t stream);
void note_all_synchronised();
/// Streams wait for each other by events from now on: to wait for one is taken for waiting for all.
void note_joined_streams();

/// While one lives, nothing is protected: kernels and copies are at work.
class HostMemoryOpen {
 public:
  HostMemoryOpen();
  ~HostMemoryOpen();
  HostMemoryOpen(const HostMemoryOpen&) = delete;
  HostMemoryOpen& operator=(const HostMemoryOpen&) = delete;
};

/// The accesses of host code that were noted become hazards.
void tell_host_races();

}  // namespace simulator::runtime
