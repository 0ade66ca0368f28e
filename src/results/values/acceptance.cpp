#include "results/values/acceptance.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace results {
namespace {

constexpr const char* VERDICTS[] = {"OK",        "UNSURE", "CHANGED", "SLOWER",
                                    "THROTTLED", "OTHER",  "FAILED",  "WRONG"};

}  // namespace

const char* name_of(GpuVerdict verdict) { return VERDICTS[static_cast<int>(verdict)]; }

bool passes(GpuVerdict verdict) { return verdict <= GpuVerdict::unsure; }

std::string name_of(const JudgedGpu& gpu) {
  return fmt::format("rank {} ({}, GPU {})", gpu.rank, gpu.host, gpu.gpu);
}

std::string subject_of(const JudgedRow& row) {
  if (!row.M || !row.N || !row.K) return row.kernel;
  return fmt::format("{} at {}x{}x{}", row.kernel, *row.M, *row.N, *row.K);
}

const JudgedRow* worst_row(const JudgedGpu& gpu) {
  const JudgedRow* worst = nullptr;
  for (const JudgedRow& row : gpu.rows) {
    const std::optional<double>& change = row.compared.change_percent;
    const bool is_worse = worst == nullptr || change < worst->compared.change_percent;
    if (change && is_worse) worst = &row;
  }
  if (worst != nullptr) return worst;
  const auto changed = std::ranges::find(gpu.rows, Change::changed,
                                         [](const JudgedRow& row) { return row.compared.verdict; });
  return changed == gpu.rows.end() ? nullptr : &*changed;
}

bool all_pass(const std::vector<JudgedGpu>& gpus) {
  return !gpus.empty() && std::ranges::all_of(gpus, passes, &JudgedGpu::verdict);
}

std::string told(const std::vector<JudgedGpu>& gpus) {
  if (gpus.empty()) return "no GPU was measured";
  const bool is_passed = all_pass(gpus);
  std::vector<std::string> names;
  for (const JudgedGpu& gpu : gpus)
    if (gpu.verdict != GpuVerdict::ok && passes(gpu.verdict) == is_passed)
      names.push_back(fmt::format("{} is {}", name_of(gpu), name_of(gpu.verdict)));
  if (names.empty()) return "";
  const std::string some =
      fmt::format("{} of {} GPU{}", names.size(), gpus.size(), gpus.size() == 1 ? "" : "s");
  const std::string all = fmt::format("{}", fmt::join(names, ", "));
  if (is_passed) return fmt::format("the verdict on {} is not certain: {}", some, all);
  return fmt::format("{} {} not pass: {}", some, names.size() == 1 ? "does" : "do", all);
}

}  // namespace results
