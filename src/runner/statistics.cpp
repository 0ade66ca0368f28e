#include "runner/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace runner {
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

bool StopRule::stop(std::span<const double> samples, double seconds_spent) const {
  const auto count = static_cast<int>(samples.size());
  if (count < 1) return false;
  if (count >= most_samples || seconds_spent >= most_seconds) return true;
  return count >= least_samples && relative_uncertainty(samples) <= target_uncertainty;
}

int fp32_lanes_per_multiprocessor(int major, int minor) {
  // CUDA C++ Programming Guide, "Arithmetic Instructions": 64 on 6.0, 7.x and 8.0, 128 on the others.
  const bool half = major == 7 || (major == 6 && minor == 0) || (major == 8 && minor == 0);
  return half ? 64 : 128;
}

double peak_gflops(int multiprocessors, int lanes_per_multiprocessor, double clock_mhz) {
  return static_cast<double>(multiprocessors) * lanes_per_multiprocessor * 2 * clock_mhz * 1e-3;
}

}  // namespace runner
