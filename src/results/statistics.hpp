// What samples of a time say. Pure functions.
#pragma once

#include <span>
#include <vector>

namespace results {

struct Quartiles {
  double q1 = 0, median = 0, q3 = 0;
};

/// Quartiles by linear interpolation between the order statistics (Hyndman and Fan's type 7, the default of R
/// and NumPy). Zeros for no samples.
Quartiles quartiles(std::span<const double> samples);

/// How well the median is known, as a share of it: an approximate 95 % half-width, 1.57 * IQR / sqrt(n) / median
/// (McGill, Tukey and Larsen, "Variations of Box Plots", 1978). Infinite for fewer than two samples.
double relative_uncertainty(std::span<const double> samples);

}  // namespace results
