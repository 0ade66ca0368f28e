// The measuring core's protocol: how samples of a kernel's time are taken, so that the figure can be believed.
//
// Two machines differ, and one machine differs from hour to hour; so kernel and reference take turns
// (A B A B ...), and their ratio is the median of the ratios of neighbours. Before that both run until
// neither their times nor the clock move any more. Where a sample comes from is not known here: from a
// CUDA device (stopwatch.hpp), or from a test.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/values/run.hpp"

namespace runner {

/// One sample, with the device's state at that time.
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

/// When to stop taking samples.
struct StopRule {
  int least_samples = 10;
  int most_samples = 200;
  double most_seconds = 1.0;
  double target_uncertainty = 0.002;

  /// True if the median is known well enough, or the time is spent. One sample is taken at any cost.
  bool stop(std::span<const double> samples, double seconds_spent) const;
};

/// Samples of `kernel`, with `reference` taking turns unless it is empty. Returns with fewer samples when the
/// user interrupts, one at least.
results::Timing take_turns(const Sampler& kernel, const Sampler& reference,
                           const results::MeasureOptions& options,
                           const SecondsNow& now = steady_seconds);

/// Returns the reasons not to trust a measurement; nothing if it can be trusted.
std::vector<std::string> doubts(const results::Timing& timing);

}  // namespace runner
