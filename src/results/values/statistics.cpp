#include "results/values/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

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

double standard_error_of_median(std::span<const double> samples) {
  if (samples.size() < 2) return 0;
  const Quartiles q = quartiles(samples);
  return 1.2533 * (q.q3 - q.q1) / 1.349 / std::sqrt(static_cast<double>(samples.size()));
}

double mean(std::span<const double> values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

RankTest rank_test(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) return {};
  std::vector<std::pair<double, bool>> all;  // a value, and true if it is one of a's
  all.reserve(a.size() + b.size());
  for (const double value : a) all.emplace_back(value, true);
  for (const double value : b) all.emplace_back(value, false);
  std::ranges::sort(all);

  double ranks_of_a = 0, ties = 0;
  for (size_t first = 0; first < all.size();) {
    size_t end = first;
    while (end < all.size() && all[end].first == all[first].first) ++end;
    // Equal values share the mean of their ranks, which count from 1.
    const double rank = static_cast<double>(first + 1 + end) / 2;
    for (size_t i = first; i < end; ++i) ranks_of_a += all[i].second ? rank : 0;
    const auto tied = static_cast<double>(end - first);
    ties += tied * tied * tied - tied;
    first = end;
  }
  const auto na = static_cast<double>(a.size()), nb = static_cast<double>(b.size()), n = na + nb;
  const double u = ranks_of_a - na * (na + 1) / 2;
  const double variance = na * nb / 12 * ((n + 1) - ties / (n * (n - 1)));
  RankTest test{.share_of_a_above_b = u / (na * nb)};
  if (variance <= 0) return test;
  const double distance = std::max(0.0, std::abs(u - na * nb / 2) - 0.5);
  test.p_value = std::erfc(distance / std::sqrt(2 * variance));
  return test;
}

}  // namespace results
