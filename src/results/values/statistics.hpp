// Statistics of time samples. Pure functions.
#pragma once

#include <span>
#include <vector>

namespace results {

struct Quartiles {
  double q1 = 0, median = 0, q3 = 0;
};

/// Returns the quartiles by linear interpolation between the order statistics (Hyndman and Fan's type 7, the default of
/// R and NumPy). Zeros for no samples.
Quartiles quartiles(std::span<const double> samples);

/// Returns the uncertainty of the median, as a share of it: an approximate 95 % half-width, 1.57 * IQR / sqrt(n) /
/// median (McGill, Tukey and Larsen, "Variations of Box Plots", 1978). Infinite for fewer than two samples.
double relative_uncertainty(std::span<const double> samples);

/// Returns the standard error of the median, in the samples' unit, if they scatter like a normal distribution: 1.2533 *
/// sigma / sqrt(n). sigma is IQR / 1.349. 0 for fewer than two samples: the error is unknown.
double standard_error_of_median(std::span<const double> samples);

double mean(std::span<const double> values);
/// Returns the standard deviation of a sample (n - 1). 0 for fewer than two values.
double standard_deviation(std::span<const double> values);

/// The result of a test of whether the samples of two groups come from one distribution: Mann and Whitney's U test ("On a
/// Test of Whether one of Two Random Variables is Stochastically Larger than the Other", 1947). It is two-sided, by the
/// normal approximation with corrections for ties and continuity. It assumes nothing about the distribution's form.
struct RankTest {
  double p_value = 1;               // 1 if a group has no sample, or all samples are equal
  double share_of_a_above_b = 0.5;  // the share of all pairs; ties count half
};
RankTest rank_test(std::span<const double> a, std::span<const double> b);

}  // namespace results
