// What samples of a time say. Pure functions.
#pragma once

#include <span>
#include <vector>

namespace runner {

struct Quartiles {
  double q1 = 0, median = 0, q3 = 0;
};

/// Quartiles by linear interpolation between the order statistics (Hyndman and Fan's type 7, the default of R
/// and NumPy). Zeros for no samples.
Quartiles quartiles(std::span<const double> samples);

/// How well the median is known, as a share of it: an approximate 95 % half-width, 1.57 * IQR / sqrt(n) / median
/// (McGill, Tukey and Larsen, "Variations of Box Plots", 1978). Infinite for fewer than two samples.
double relative_uncertainty(std::span<const double> samples);

/// When to stop taking samples.
struct StopRule {
  int least_samples = 10;
  int most_samples = 200;
  double most_seconds = 1.0;
  double target_uncertainty = 0.002;

  /// Whether enough is known, or enough was spent. One sample is taken whatever it costs.
  bool stop(std::span<const double> samples, double seconds_spent) const;
};

/// FP32 multiply-adds that one multiprocessor starts in a clock, by compute capability.
int fp32_lanes_per_multiprocessor(int major, int minor);

/// FP32 peak in GFLOP/s at a clock: lanes * 2 operations * clock.
double peak_gflops(int multiprocessors, int lanes_per_multiprocessor, double clock_mhz);

}  // namespace runner
