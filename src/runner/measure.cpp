#include "runner/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>

#include "runner/interrupt.hpp"
#include "runner/statistics.hpp"

namespace runner {
namespace {

constexpr double WARM_UP_SECONDS_LEAST = 0.1;
constexpr double WARM_UP_SECONDS_MOST = 1.0;
constexpr size_t STEADY_ROUNDS = 3;
constexpr double STEADY = 0.015;  // that the last rounds lie within: two steps of an H200's clock
constexpr size_t TRUSTED_SAMPLES = 5;
constexpr double TRUSTED_UNCERTAINTY = 0.01;  // of a median
constexpr double TRUSTED_CLOCK_RANGE = 0.05;  // of the highest clock

// Whether the last rounds lie close together. True where nothing was read.
bool is_steady(const std::vector<double>& values) {
  if (values.empty()) return true;
  if (values.size() < STEADY_ROUNDS) return false;
  const auto [low, high] = std::ranges::minmax(std::span(values).last(STEADY_ROUNDS));
  return high - low <= STEADY * high;
}

// The samples of one of the two.
struct Series {
  std::vector<double> ms;
  std::vector<double> clocks_mhz;
  std::vector<std::string> slowdowns;

  void add(const Sample& sample) {
    ms.push_back(sample.ms);
    if (sample.clock_mhz) clocks_mhz.push_back(*sample.clock_mhz);
    slowdowns.insert(slowdowns.end(), sample.slowdowns.begin(), sample.slowdowns.end());
  }
  bool is_steady() const { return runner::is_steady(ms) && runner::is_steady(clocks_mhz); }
};

template <typename T>
std::vector<T> joined(std::vector<T> first, const std::vector<T>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// Runs both until neither their times nor the clock move any more. False if they still did when the time was
// up. Launches so long that there were only one or two rounds have warmed the device up all the same; whether
// it was steady shows in the samples.
bool warm_up(const Sampler& kernel, const Sampler& reference, const SecondsNow& now) {
  const double start = now();
  Series kernels, references;
  for (;;) {
    kernels.add(kernel());
    if (reference) references.add(reference());
    const double seconds = now() - start;
    const bool steady = kernels.is_steady() && references.is_steady();
    if ((steady && seconds >= WARM_UP_SECONDS_LEAST) || interrupted()) return true;
    if (seconds >= WARM_UP_SECONDS_MOST) return kernels.ms.size() < STEADY_ROUNDS;
  }
}

void doubt_few_or_scattered(Timing& timing, const std::vector<double>& ratios) {
  const size_t count = timing.samples_ms.size();
  if (count < TRUSTED_SAMPLES) {
    timing.doubts.push_back(fmt::format("only {} sample{}; allow more --time or --samples", count,
                                        count == 1 ? "" : "s"));
    return;
  }
  const auto doubt = [&](const char* what, double uncertainty) {
    if (uncertainty <= TRUSTED_UNCERTAINTY) return;
    timing.doubts.push_back(fmt::format("{} is known to {:.1f} % only", what, 100 * uncertainty));
  };
  doubt("the median", relative_uncertainty(timing.samples_ms));
  if (!ratios.empty()) doubt("the ratio to cuBLAS", relative_uncertainty(ratios));
}

void doubt_moving_clock(Timing& timing, const std::vector<double>& clocks_mhz) {
  if (clocks_mhz.empty()) return;
  const auto [low, high] = std::ranges::minmax(clocks_mhz);
  if (high - low > TRUSTED_CLOCK_RANGE * high) {
    timing.doubts.push_back(
        fmt::format("the clock moved between {:.0f} and {:.0f} MHz", low, high));
  }
}

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Timing take_turns(const Sampler& kernel, const Sampler& reference, const MeasureOptions& options,
                  const SecondsNow& now) {
  const bool steady = options.once || warm_up(kernel, reference, now);

  const StopRule rule{.most_samples = options.once ? 1 : options.samples,
                      .most_seconds = options.seconds,
                      .target_uncertainty = options.target_spread};
  Series kernels, references;
  std::vector<double> ratios;
  const double start = now();
  const auto enough = [&] {
    const double seconds = now() - start;
    return rule.stop(kernels.ms, seconds) && (!reference || rule.stop(ratios, seconds));
  };
  while (!enough() && !(interrupted() && !kernels.ms.empty())) {
    kernels.add(kernel());
    if (!reference) continue;
    references.add(reference());
    ratios.push_back(references.ms.back() / kernels.ms.back());
  }

  Timing timing{.options = options,
                .samples_ms = std::move(kernels.ms),
                .reference_samples_ms = std::move(references.ms)};
  const Quartiles q = quartiles(timing.samples_ms);
  timing.median_ms = q.median;
  timing.q1_ms = q.q1;
  timing.q3_ms = q.q3;
  if (reference) timing.percent_of_cublas = 100 * quartiles(ratios).median;

  if (options.once) {
    timing.doubts.emplace_back("a single launch without warm-up");
  } else {
    doubt_few_or_scattered(timing, ratios);
  }
  if (!steady) timing.doubts.emplace_back("the times or the clock still moved after the warm-up");
  std::vector<std::string> slowdowns = joined(kernels.slowdowns, references.slowdowns);
  std::ranges::sort(slowdowns);
  const auto repeated = std::ranges::unique(slowdowns);
  timing.doubts.insert(timing.doubts.end(), slowdowns.begin(), repeated.begin());
  if (!kernels.clocks_mhz.empty()) timing.clock_mhz = quartiles(kernels.clocks_mhz).median;
  doubt_moving_clock(timing, joined(kernels.clocks_mhz, references.clocks_mhz));
  return timing;
}

}  // namespace runner
