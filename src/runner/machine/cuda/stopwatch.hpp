// Times on a CUDA device, by the protocol of sampling.hpp.
//
// Launches shorter than SHORTEST_SAMPLE_MS are repeated in a CUDA graph and timed together, since an event
// resolves about a microsecond. (If a graph makes them slower they follow each other on the stream.)
// The stream is held back until all of a sample is on it (gate.hpp), so no sample includes the host's time.
// With a cold L2 every launch is timed alone, after L2 was flushed.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <memory>
#include <optional>

#include "runner/machine/cuda/gate.hpp"
#include "runner/machine/cuda/owned.hpp"
#include "runner/machine/device_buffer.hpp"
#include "runner/machine/sampling.hpp"

namespace runner {

class Stopwatch {
 public:
  /// Puts one launch on the stream.
  using Launch = std::function<cudaError_t(cudaStream_t)>;

  static constexpr double SHORTEST_SAMPLE_MS = 2.0;

  /// Makes a stopwatch on the current device. Throws Error if that fails, as do all functions.
  explicit Stopwatch(const results::MeasureOptions& options);

  /// Times `kernel`, in turns with `reference` unless that is empty. Waits first for launches on other streams.
  results::Timing measure(const Launch& kernel, const Launch& reference);

 private:
  class Work;

  std::unique_ptr<Work> prepare(const Launch& launch);
  Sample sample(const Work& work);
  std::optional<double> joules_of(const Work& work, double ms_of_launch);

  results::MeasureOptions options_;
  DeviceBuffer<char> flush_;  // larger than L2; empty with a warm L2
  Owned<cudaStream_t, cudaStreamDestroy> stream_;
  Owned<cudaEvent_t, cudaEventDestroy> start_, stop_;
  Gate gate_;
};

}  // namespace runner
