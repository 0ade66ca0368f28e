// Holds a stream back while the host puts work on it, so that a sample has the device's time and not the host's time.
//
// Without the gate the start event passes as soon as it is recorded. The sample then includes the time until the host has
// launched the work: some microseconds as a rule, but 0.1 ms for a call of cublasSgemm after a quiet moment. That is 4 % of a
// product of 4096 (one H200, 2026-11-22). nvbench's "blocking kernel" does the same.
#pragma once

#include <cuda_runtime.h>

#include "runner/machine/cuda/owned.hpp"

namespace runner {

class Gate {
 public:
  /// Makes a gate on the current device. Throws Error if that fails, as close() does. A gate that stays closed opens by
  /// itself after `most_seconds`. Without that limit, two things would hang: a launch that waits for the stream, and
  /// more launches than a stream takes.
  explicit Gate(double most_seconds = MOST_SECONDS);

  /// Makes work on the stream wait for open() from now on. Use one stream at a time.
  void close(cudaStream_t stream);
  /// Lets the stream go on.
  void open();

  static constexpr double MOST_SECONDS = 0.02;

 private:
  Owned<void*, cudaFreeHost> memory_;  // the host counts the openings here
  long long most_nanoseconds_;
  const unsigned* on_device_ = nullptr;
  unsigned closed_ = 0;  // number of closings
};

}  // namespace runner
