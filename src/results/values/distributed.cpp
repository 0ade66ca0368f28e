#include "results/values/distributed.hpp"

#include <algorithm>
#include <utility>

#include "results/values/statistics.hpp"

namespace results {

double flops_of(const DistributedProduct& p) {
  return 2.0 * static_cast<double>(p.M) * static_cast<double>(p.N) * static_cast<double>(p.K);
}

double seconds_of(const DistributedProduct& product) { return quartiles(product.samples_s).median; }

namespace {

std::optional<double> median_of(const std::vector<double>& samples) {
  if (samples.empty()) return std::nullopt;
  return quartiles(samples).median;
}

// Returns the time of one GPU over all GPUs' time together.
std::optional<double> share(const std::optional<double>& one_gpu_s, const DistributedProduct& p) {
  const double seconds = seconds_of(p);
  if (!one_gpu_s || seconds <= 0 || p.tiles_found > 0) return std::nullopt;
  return *one_gpu_s / (p.gpus() * seconds);
}

}  // namespace

std::optional<double> efficiency_of(const DistributedProduct& p) {
  return share(median_of(p.one_gpu_samples_s), p);
}

std::optional<double> share_of_cublas(const DistributedProduct& p) {
  return share(median_of(p.cublas_samples_s), p);
}

double hidden_share(const DistributedProduct& p) {
  double least = 1;
  for (const DistributedProcess& one : p.processes) {
    if (one.messages_s <= 0) continue;
    const double seen = std::clamp(one.whole_s - one.product_s, 0.0, one.messages_s);
    least = std::min(least, 1 - seen / one.messages_s);
  }
  return least;
}

int64_t received_bytes(const DistributedProduct& p) {
  int64_t bytes = 0;
  for (const DistributedProcess& one : p.processes) bytes += one.received_bytes;
  return bytes;
}

int64_t least_bytes_of(int64_t M, int64_t N, int64_t K, int processes) {
  const auto bytes = [](int64_t rows, int64_t cols) {
    return static_cast<int64_t>(sizeof(float)) * rows * cols;
  };
  const int64_t a = bytes(M, K), b = bytes(K, N), c = bytes(M, N);
  int64_t least = INT64_MAX;
  for (int rows = 1; rows <= processes; ++rows) {
    if (processes % rows != 0) continue;
    const int cols = processes / rows;
    for (const auto& [first, second] : {std::pair{a, b}, {c, b}, {a, c}, {b, a}, {b, c}, {c, a}})
      least = std::min(least, first * (cols - 1) + second * (rows - 1));
  }
  return least;
}

}  // namespace results
