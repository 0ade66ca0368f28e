// The measuring core's protocol: how samples of a kernel's time are taken, so that the figure can be believed.
//
// Two machines differ, and one machine differs from hour to hour; so kernel and reference take turns
// (A B A B ...), and their ratio is the median of the ratios of neighbours. Before that both run until
// neither their times nor the clock move any more. Where a sample comes from is not known here: from a
// CUDA device (stopwatch.hpp), or from a test.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/measure_options.hpp"
#include "runner/observation.hpp"

namespace runner {

/// One sample, and what the device said while it was taken.
struct Sample {
  double ms = 0;  // of one launch
  std::optional<double> clock_mhz{};
  std::vector<std::string> slowdowns{};  // "thermal slowdown", ...
};

/// Takes a sample.
using Sampler = std::function<Sample()>;

/// Seconds since some moment.
using SecondsNow = std::function<double()>;
double steady_seconds();

/// Samples of `kernel`, with `reference` taking turns unless it is empty, and the doubts about them. Returns
/// with fewer samples when the user interrupts, one at least.
Timing take_turns(const Sampler& kernel, const Sampler& reference, const MeasureOptions& options,
                  const SecondsNow& now = steady_seconds);

}  // namespace runner
