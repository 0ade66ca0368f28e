#include "results/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace results {
namespace {

double quantile(const std::vector<double>& sorted, double share) {
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

}  // namespace

Quartiles quartiles(std::span<const double> samples) {
  if (samples.empty()) return {};
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  return {quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)};
}

double relative_uncertainty(std::span<const double> samples) {
  const Quartiles q = quartiles(samples);
  if (samples.size() < 2 || !(q.median > 0)) return std::numeric_limits<double>::infinity();
  return 1.57 * (q.q3 - q.q1) / std::sqrt(static_cast<double>(samples.size())) / q.median;
}

}  // namespace results
