// Holds a stream back while work is put on it, so that what is timed is the device's time and not the host's.
//
// Without it the start event passes as soon as it is recorded, and the time until the host has launched the work behind
// it counts: some microseconds as a rule, but 0.1 ms for a call of cublasSgemm that followed a quiet moment, which is
// 4 % of a product of 4096 (one H200, 2026-11-22). nvbench's "blocking kernel" does the same.
#pragma once

#include <cuda_runtime.h>

#include "runner/machine/cuda/owned.hpp"

namespace runner {

class Gate {
 public:
  /// On the current device. Throws Error if that fails, as close() does. A gate that stays closed opens by itself after
  /// so many seconds: a launch that waits for the stream, or more of them than a stream takes, does not hang.
  explicit Gate(double most_seconds = MOST_SECONDS);

  /// From now on, work on the stream waits for open(). One stream at a time.
  void close(cudaStream_t stream);
  /// Lets it go.
  void open();

  static constexpr double MOST_SECONDS = 0.02;

 private:
  Owned<void*, cudaFreeHost> memory_;  // where the host says how often it was opened
  long long most_nanoseconds_;
  const unsigned* on_device_ = nullptr;
  unsigned closed_ = 0;  // how often
};

}  // namespace runner
