// The measuring core: how long a kernel takes on a CUDA device, beside a reference in the same minutes.
//
// Two machines differ, and one machine differs from hour to hour; so kernel and reference take turns
// (A B A B ...) and their ratio is the median of the ratios of neighbours. The clock is brought up first.
// Launches shorter than SHORTEST_SAMPLE_MS are repeated in a CUDA graph and timed together, since an event
// resolves about a microsecond. With a cold L2 every launch is timed alone, after L2 was flushed.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <vector>

#include "runner/device_buffer.hpp"
#include "runner/measure_options.hpp"
#include "runner/nvml.hpp"
#include "runner/observation.hpp"

namespace runner {

class Stopwatch {
 public:
  /// Puts one launch on the stream.
  using Launch = std::function<cudaError_t(cudaStream_t)>;

  static constexpr double SHORTEST_SAMPLE_MS = 2.0;

  /// On the current device. Throws Error if that fails, as do all functions.
  explicit Stopwatch(const MeasureOptions& options);
  ~Stopwatch();
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  /// Takes the time of `kernel`, which does `flops` operations, with `reference` taking turns unless it is
  /// empty. Returns with fewer samples when the user interrupts.
  Timing measure(const Launch& kernel, const Launch& reference, double flops);

 private:
  class Work;

  double time_ms(const Work& work);
  void warm_up(const Work& kernel, const Work* reference);
  int launches_for(const Launch& launch);

  MeasureOptions options_;
  Nvml nvml_;
  DeviceBuffer<char> flush_;  // larger than L2; empty with a warm L2
  cudaStream_t stream_ = nullptr;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
  std::vector<double> clocks_mhz_;  // read while work was under way
};

}  // namespace runner
