#include "runner/machine/sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>

#include "app/interrupt.hpp"
#include "results/values/metrics.hpp"
#include "results/values/statistics.hpp"

namespace runner {
namespace {

using results::MeasureOptions;
using results::relative_uncertainty;
using results::Timing;

constexpr double WARM_UP_SECONDS_LEAST = 0.1;
constexpr double WARM_UP_SECONDS_MOST = 1.0;
constexpr size_t STEADY_ROUNDS = 3;
constexpr double STEADY = 0.015;  // relative range of the last rounds: two steps of an H200's clock
constexpr size_t TRUSTED_SAMPLES = 5;
constexpr double TRUSTED_UNCERTAINTY = 0.01;  // of the median
constexpr double TRUSTED_CLOCK_RANGE = 0.05;  // of the highest clock

// True if the last rounds differ little, or if there are no values.
bool is_steady(const std::vector<double>& values) {
  if (values.empty()) return true;
  if (values.size() < STEADY_ROUNDS) return false;
  const auto [low, high] = std::ranges::minmax(std::span(values).last(STEADY_ROUNDS));
  return high - low <= STEADY * high;
}

// The samples of the kernel or of the reference.
struct Series {
  std::vector<double> ms;
  std::vector<double> clocks_mhz;
  std::vector<double> clock_of_sample;  // 0 if the clock could not be read
  std::vector<std::string> slowdowns;

  void add(const Sample& sample) {
    ms.push_back(sample.ms);
    clock_of_sample.push_back(sample.clock_mhz.value_or(0));
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

// Runs both until neither their times nor the clock change any more, for no less time than is asked for the samples if that is short.
// Returns false if they still change at the end of the time. Long launches may leave time for one or two rounds only. These warm the
// device up too, and the samples show whether it was steady.
bool warm_up(const Sampler& kernel, const Sampler& reference, double seconds_of_samples,
             const SecondsNow& now) {
  const double least_seconds = std::min(WARM_UP_SECONDS_LEAST, seconds_of_samples);
  const double start = now();
  Series kernels, references;
  for (;;) {
    kernels.add(kernel());
    if (reference) references.add(reference());
    const double seconds = now() - start;
    const bool steady = kernels.is_steady() && references.is_steady();
    if ((steady && seconds >= least_seconds) || interrupted()) return true;
    if (seconds >= WARM_UP_SECONDS_MOST) return kernels.ms.size() < STEADY_ROUNDS;
  }
}

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool StopRule::stop(std::span<const double> samples, double seconds_spent) const {
  const auto count = static_cast<int>(samples.size());
  if (count < 1) return false;
  if (count >= most_samples || seconds_spent >= most_seconds) return true;
  return count >= least_samples && relative_uncertainty(samples) <= target_uncertainty;
}

Timing take_turns(const Sampler& kernel, const Sampler& reference, const MeasureOptions& options,
                  const SecondsNow& now) {
  const bool steady = options.once || warm_up(kernel, reference, options.seconds, now);

  const StopRule rule{.most_samples = options.once ? 1 : options.samples,
                      .most_seconds = options.seconds,
                      .target_uncertainty = options.target_spread};
  Series kernels, references;
  std::vector<double> ratios, began;
  const double start = now();
  const auto may_stop = [&] {
    if (kernels.ms.empty()) return false;
    if (interrupted()) return true;
    const double seconds = now() - start;
    return rule.stop(kernels.ms, seconds) && (!reference || rule.stop(ratios, seconds));
  };
  while (!may_stop()) {
    began.push_back(now() - start);
    kernels.add(kernel());
    if (!reference) continue;
    references.add(reference());
    ratios.push_back(references.ms.back() / kernels.ms.back());
  }

  Timing timing{.options = options,
                .samples_ms = std::move(kernels.ms),
                .reference_samples_ms = std::move(references.ms),
                .sample_seconds = std::move(began),
                .steady = steady,
                .slowdowns = joined(kernels.slowdowns, references.slowdowns)};
  std::ranges::sort(timing.slowdowns);
  const auto repeated = std::ranges::unique(timing.slowdowns);
  timing.slowdowns.erase(repeated.begin(), repeated.end());
  if (!references.clocks_mhz.empty())
    timing.reference_clock_mhz = results::quartiles(references.clocks_mhz).median;
  if (!kernels.clocks_mhz.empty()) {
    const std::vector<double> all = joined(kernels.clocks_mhz, references.clocks_mhz);
    const auto [low, high] = std::ranges::minmax(all);
    timing.clocks_mhz = {low, results::quartiles(kernels.clocks_mhz).median, high};
    timing.sample_clocks_mhz = std::move(kernels.clock_of_sample);
  }
  return timing;
}

std::optional<double> joules_of_launch(const std::function<int()>& sample,
                                       const std::function<std::optional<double>()>& joules,
                                       const SecondsNow& now) {
  constexpr double SECONDS_LEAST = 0.8, SECONDS_MOST = 3;
  const auto first = joules();
  if (!first) return std::nullopt;
  const double start = now();
  // The counter moves in steps, so the energy between two steps is that of the launches between them.
  double begin = 0, begin_seconds = 0, last = *first;
  int64_t launches = 0;
  bool has_begun = false;
  while (!interrupted() && now() - start < SECONDS_MOST) {
    const int more = sample();
    if (has_begun) launches += more;
    const auto here = joules();
    if (!here) return std::nullopt;
    if (*here == last) continue;
    last = *here;
    if (!has_begun) {
      has_begun = true;
      begin = last;
      begin_seconds = now();
    } else if (now() - begin_seconds >= SECONDS_LEAST) {
      return (last - begin) / static_cast<double>(launches);
    }
  }
  return std::nullopt;
}

std::vector<std::string> doubts(const Timing& timing) {
  std::vector<std::string> reasons;
  const size_t count = timing.samples_ms.size();
  const auto doubt_scattered = [&](const char* what, double uncertainty) {
    if (uncertainty <= TRUSTED_UNCERTAINTY) return;
    reasons.push_back(fmt::format("{} is known to {:.1f} % only", what, 100 * uncertainty));
  };
  if (timing.options.once) {
    reasons.emplace_back("a single launch without warm-up");
  } else if (count < TRUSTED_SAMPLES) {
    reasons.push_back(fmt::format("only {} sample{}; allow more --time or --samples", count,
                                  count == 1 ? "" : "s"));
  } else {
    doubt_scattered("the median", relative_uncertainty(timing.samples_ms));
    if (const auto ratios = results::paired_percent(timing); !ratios.empty()) {
      doubt_scattered(timing.is_against_copy ? "the ratio to the copy" : "the ratio to cuBLAS",
                      relative_uncertainty(ratios));
    }
  }
  if (!timing.steady) reasons.emplace_back("the times or the clock still moved after the warm-up");
  reasons.insert(reasons.end(), timing.slowdowns.begin(), timing.slowdowns.end());
  if (timing.clocks_mhz.size() == 3) {
    const double low = timing.clocks_mhz.front(), high = timing.clocks_mhz.back();
    if (high - low > TRUSTED_CLOCK_RANGE * high) {
      reasons.push_back(fmt::format("the clock moved between {:.0f} and {:.0f} MHz", low, high));
    }
  }
  return reasons;
}

}  // namespace runner
