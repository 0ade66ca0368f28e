#include "runner/choose/workload.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "runner/choose/select.hpp"
#include "runner/machine/capacity.hpp"

namespace runner {
namespace {

using results::Problem;

// Returns a workload with the fields that all products share.
Workload any_product(const Problem& problem) {
  return {.problem = problem,
          .size = problem.size(),
          .asked = "--size " + problem.size(),
          .bytes = bytes_needed(problem)};
}

void take(const ladder::Rung& rung, Workload& workload) {
  workload.arithmetic = rung.arithmetic;
  workload.needs = rung.needs;
  workload.promise = {rung.promise.begin(), rung.promise.end()};
  if (applies(rung.promise, *workload.problem)) workload.claims = workload.promise;
  workload.lay_out = [&rung, problem = *workload.problem](Matrices& matrices) {
    return std::make_unique<ProductTrial>(rung, problem, matrices);
  };
}

}  // namespace

Workload product(const ladder::Rung& rung, const Problem& problem) {
  Workload workload = any_product(problem);
  workload.who = identity_of(rung);
  workload.name = title(rung);
  workload.idea = rung.idea;
  workload.source_file = label(rung) + ".cu";
  workload.words = {word_for(rung), "--size", problem.size()};
  take(rung, workload);
  return workload;
}

Workload strangers_product(const ladder::Rung& rung, const Problem& problem) {
  Workload workload = any_product(problem);
  workload.who = identity_of_stranger(rung);
  workload.name = rung.name;
  workload.held_to_contract = &rung;
  if (problem.has_transposes() && !rung.takes_transposes)
    workload.refusal = "it takes A and B as they lie (Rung::takes_transposes)";
  take(rung, workload);
  return workload;
}

Workload product_of_file(const std::string& kernel_file, const Problem& problem) {
  Workload workload = any_product(problem);
  workload.source_file = std::filesystem::path(kernel_file).filename().string();
  workload.kernel_file = kernel_file;
  return workload;
}

std::vector<Workload> products(std::span<const ladder::Rung* const> rungs,
                               std::span<const Problem> problems) {
  std::vector<Workload> workloads;
  for (const Problem& problem : problems) {
    for (const ladder::Rung* rung : rungs) workloads.push_back(product(*rung, problem));
  }
  return workloads;
}

double bytes_needed(const Problem& p) {
  const auto bytes = [&p](int64_t span, int64_t stride) {
    return (static_cast<double>(span) +
            static_cast<double>(p.batch - 1) * static_cast<double>(stride)) *
           sizeof(float);
  };
  return 2 * (bytes(p.span_of_a(), p.stride_a) + bytes(p.span_of_b(), p.stride_b)) +
         bytes(p.span_of_c(), p.stride_c);
}

std::string lack_of(const machine::Device& device, const ladder::Rung& rung) {
  if (ladder::suffices(device.compute_capability, rung.needs)) return "";
  const int needed = rung.needs.compute_capability;
  return fmt::format("{} needs compute capability {}.{}{}, and {} has {}.{}", title(rung),
                     needed / 10, needed % 10, rung.needs.exactly ? " exactly" : "",
                     the_device(device), device.compute_capability / 10,
                     device.compute_capability % 10);
}

std::string lack_of(const Problem& problem, const ladder::Rung& rung) {
  if (!problem.has_transposes() || rung.takes_transposes) return "";
  return fmt::format("{} takes A and B as they lie, without {}", title(rung),
                     problem.transposes_a ? "--trans-a" : "--trans-b");
}

void refuse_what_cannot_fit(std::span<const Workload> workloads, const machine::Device& device) {
  for (const Workload& one : workloads) refuse_what_cannot_fit(one.asked, one.bytes, device);
}

}  // namespace runner
