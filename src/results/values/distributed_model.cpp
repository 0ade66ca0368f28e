#include "results/values/distributed_model.hpp"

#include <algorithm>

#include "results/values/statistics.hpp"

namespace results {
namespace {

// What a panel takes on a process.
struct Panel {
  double product = 0, wire = 0, copies = 0;  // seconds
};

// Adds what it takes to bring this many floats of a factor to a process that has one part of `parts`.
void bring(double floats, int parts, double link_bytes, const Rates& rates, Panel& panel) {
  if (parts == 1) return;
  const double bytes = sizeof(float) * floats, own = 1.0 / parts;
  panel.wire += bytes * (1 - own) / link_bytes;
  // Packing reads and writes the own part, and sums read it; sums read the others' parts; unpacking reads and writes all, and sums read
  // all twice.
  constexpr double OF_OWN = 3, OF_OTHERS = 1, OF_ALL = 4;
  panel.copies += bytes * (OF_OWN * own + OF_OTHERS * (1 - own) + OF_ALL) / rates.memory_bytes;
}

Panel panel_of(const DistributedProduct& p, double k, const Rates& rates) {
  const double m = static_cast<double>(p.M) / p.grid_rows,
               n = static_cast<double>(p.N) / p.grid_cols;
  const auto link = [&](bool is_within_host) {
    return is_within_host ? rates.nvlink_bytes : rates.network_bytes;
  };
  const bool is_one_host = p.gpus() <= rates.gpus_per_host;
  Panel panel{.product = 2 * m * n * k / rates.flops};
  bring(m * k, p.grid_cols, link(is_one_host || rates.gpus_per_host % p.grid_cols == 0), rates,
        panel);
  bring(k * n, p.grid_rows, link(is_one_host), rates, panel);
  return panel;
}

}  // namespace

Prediction predict(const DistributedProduct& p, const Rates& rates) {
  Prediction all;
  double behind = 0;  // seconds of the product behind which the next messages lie
  for (int64_t begin = 0; begin < p.K; begin += p.panel) {
    const Panel panel = panel_of(p, static_cast<double>(std::min(p.panel, p.K - begin)), rates);
    all.seconds +=
        std::max(0.0, panel.wire - behind) + panel.product + panel.copies + rates.panel_s;
    all.products_s += panel.product;
    all.messages_s += panel.wire + panel.copies;
    behind = panel.product;
  }
  return all;
}

std::optional<double> modelled_seconds(const DistributedProduct& p) {
  if (p.carrier != "nccl" || p.reproducible || p.device_bytes > 0 || p.one_gpu_samples_s.empty() ||
      p.processes.empty())
    return std::nullopt;
  const auto is_on_first_host = [&](const DistributedProcess& one) {
    return one.host == p.processes.front().host;
  };
  Rates rates{.flops = flops_of(p) / quartiles(p.one_gpu_samples_s).median};
  rates.gpus_per_host = static_cast<int>(std::ranges::count_if(p.processes, is_on_first_host));
  return predict(p, rates).seconds;
}

}  // namespace results
