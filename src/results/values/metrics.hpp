// THE list of metrics: each figure that describes a result, once. Claims of promises, columns of tables, keys
// of JSON and explanations all come from here.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "results/values/run.hpp"

namespace results {

enum class Better { more, less, neither };

/// The precision of figures far below 1.
inline constexpr int SHORT = -1;

struct Metric {
  const char* key;      // "load_sectors_per_request": its name in JSON, claims and options
  const char* name;     // "load sectors per request": in a sentence
  const char* heading;  // "sectors/request": over a column
  const char* unit;     // "%", "ms"; empty for a pure number
  Better better;
  int precision;     // decimals in a table; SHORT for "1.2e-07"
  const char* hint;  // its meaning, in a sentence
  bool of_buffer;    // true if one buffer alone can have it

  /// Returns a figure of a result, for one buffer or, if `buffer` is empty, for the whole launch. Nothing if it was not
  /// measured, or if the denominator is zero. `roofs` are the run's roofs.
  std::optional<double> (*value)(const Result& result, std::string_view buffer, const Roofs& roofs);
  bool in_rows = true;  // true if rows of a run have it; other metrics only serve claims
};

std::span<const Metric> metrics();
/// Returns the metric of that key, or nullptr.
const Metric* find_metric(std::string_view key);
/// Returns the metric of that key, which must be in the list.
const Metric& metric(std::string_view key);
/// Returns the figure of a metric of the list; see Metric::value.
std::optional<double> value(const Result& result, std::string_view key,
                            std::string_view buffer = {}, const Roofs& roofs = {});

/// Returns nothing if the denominator is zero: a kernel without loads has no sectors per request.
std::optional<double> ratio(std::optional<double> numerator, std::optional<double> denominator);

/// Returns a kernel's speed relative to the reference's speed, in per cent, from the ratios of neighbouring samples.
std::vector<double> paired_percent(const Timing& timing);

/// Splits `values`, one for each sample, by the runs of the program that took the samples. A single run gives one
/// group.
std::vector<std::vector<double>> by_run(const Timing& timing, const std::vector<double>& values);

/// Returns the median of a run's values; for several runs, the mean of their medians. Nothing if there are no values.
/// When a program starts, a device settles in one of a few states: cublasSgemm of 256 takes 6.42, 6.55 or 6.59 us
/// throughout a process. The median of all samples falls on one of these states, so the mean over runs is more certain.
std::optional<double> median_over_runs(const std::vector<std::vector<double>>& runs);

}  // namespace results
