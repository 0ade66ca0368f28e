// The measuring core's protocol: how samples of a kernel's time are taken, so that the figure can be believed.
//
// Machines differ, and one machine differs from hour to hour. So kernel and reference take turns (A B A B ...), and
// their ratio is the median of the ratios of neighbours. Before that both run until neither their times nor the clock
// change any more. This code does not know the source of a sample: a CUDA device (stopwatch.hpp) or a test.
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
  double ms = 0;  // milliseconds of one launch
  std::optional<double> clock_mhz{};
  std::vector<std::string> slowdowns{};  // "thermal slowdown", ...
};

/// Takes a sample.
using Sampler = std::function<Sample()>;

/// Returns the seconds since a fixed moment.
using SecondsNow = std::function<double()>;
double steady_seconds();

/// The rule for the end of sampling.
struct StopRule {
  int least_samples = 10;
  int most_samples = 200;
  double most_seconds = 1.0;
  double target_uncertainty = 0.002;

  /// True if the median is known well enough, or the time is spent. False before the first sample.
  bool stop(std::span<const double> samples, double seconds_spent) const;
};

/// Samples `kernel`. `reference` takes turns with it unless it is empty. If the user interrupts, it returns with fewer
/// samples, but at least one.
results::Timing take_turns(const Sampler& kernel, const Sampler& reference,
                           const results::MeasureOptions& options,
                           const SecondsNow& now = steady_seconds);

/// Returns the energy of one launch. Takes samples one after the other for about a second: `sample` takes one and returns its launches,
/// `joules` reads the device's counter. Nothing if the counter cannot be read or does not move, or if the user interrupts.
std::optional<double> joules_of_launch(const std::function<int()>& sample,
                                       const std::function<std::optional<double>()>& joules,
                                       const SecondsNow& now = steady_seconds);

/// Returns the reasons not to trust a measurement; nothing if it can be trusted.
std::vector<std::string> doubts(const results::Timing& timing);

}  // namespace runner
