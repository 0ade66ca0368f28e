#include "distributed/cli/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "results/values/statistics.hpp"

namespace distributed {
namespace {

using results::DistributedProcess, results::DistributedProduct;

std::string size_of(const DistributedProduct& p) {
  return p.M == p.N && p.N == p.K ? fmt::format("{}", p.M) : fmt::format("{}x{}x{}", p.M, p.N, p.K);
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f}", 100 * *share) : "-";
}

// Returns the rank of the GPU that multiplied for longest, and by how much longer than the one that did for shortest: "1 +0.8".
std::string slowest(const DistributedProduct& p) {
  const auto [least, most] =
      std::ranges::minmax_element(p.processes, {}, &DistributedProcess::product_s);
  if (p.processes.size() < 2 || least->product_s <= 0) return "-";
  return fmt::format("{} +{:.1f}", most->rank, 100 * (most->product_s / least->product_s - 1));
}

std::string moved(const DistributedProduct& p) {
  if (p.least_bytes == 0) return "-";
  return fmt::format("{:.2f}", static_cast<double>(results::received_bytes(p)) /
                                   static_cast<double>(p.least_bytes));
}

}  // namespace

std::string headings() {
  return fmt::format("{:>11} {:>8} {:>8} {:>6} {:>7} {:>6} {:>5} {:>8} {:>6} {:>5}\n", "size",
                     "seconds", "TFLOP/s", "eff. %", "cuBLAS%", "hidden", "moved", "slowest",
                     "error", "right");
}

std::string line_of(const DistributedProduct& p) {
  const double seconds = results::seconds_of(p);
  const double flops =
      2.0 * static_cast<double>(p.M) * static_cast<double>(p.N) * static_cast<double>(p.K);
  return fmt::format("{:>11} {:>8.4f} {:>8} {:>6} {:>7} {:>5.0f}% {:>5} {:>8} {:>6.4f} {:>5}\n",
                     size_of(p), seconds,
                     p.tiles_found > 0 ? "-" : fmt::format("{:.2f}", flops / seconds / 1e12),
                     percent(results::efficiency_of(p)), percent(results::share_of_cublas(p)),
                     100 * results::hidden_share(p), moved(p), slowest(p), p.error_over_bound,
                     p.correct ? "yes" : "NO");
}

std::string notes_of(const DistributedProduct& p) {
  std::string notes;
  if (p.reproducible) notes += fmt::format("  bits of C {}", p.bits);
  if (!p.usual_samples_s.empty())
    notes += fmt::format(
        " · takes {:+.1f} % for that",
        100 * (results::seconds_of(p) / results::quartiles(p.usual_samples_s).median - 1));
  if (p.tiles > 1) notes += fmt::format("  {} tiles of C", p.tiles);
  if (p.tiles_found > 0) notes += fmt::format(", {} of them from the checkpoint", p.tiles_found);
  return notes.empty() ? "" : notes + "\n";
}

}  // namespace distributed
