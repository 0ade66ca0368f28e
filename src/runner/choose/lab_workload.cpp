#include "runner/choose/lab_workload.hpp"

#include <fmt/format.h>

#include "runner/verify/lab_trial.hpp"

namespace runner {

Workload lab_variant(const lab::Lab& of, const lab::Variant& variant, const lab::Sizes& sizes) {
  Workload workload{
      .who = identity_of(of, variant, sizes),
      .name = fmt::format("{}/{}", of.name, variant.name),
      .idea = variant.idea,
      .source_file = fmt::format("{}.cu", of.name),
      .promise = variant.claims,
      .lesson = results::Lesson{.lab = of.name, .question = of.question, .answer = of.answer},
      .is_riddle = of.is_riddle};
  workload.words.push_back(workload.name);
  for (const auto& [key, value] : sizes.all()) {
    workload.size += fmt::format("{}{}={}", workload.size.empty() ? "" : " ", key, value);
    workload.words.push_back("--" + key);
    workload.words.push_back(fmt::format("{}", value));
  }
  workload.asked = fmt::format("{}", fmt::join(workload.words, " "));
  if (applies(of, sizes)) workload.claims = variant.claims;
  if (const char* refusal = lab::refusal(variant, sizes)) {
    workload.refusal = refusal;
    return workload;
  }
  workload.bytes = LabTrial::bytes_needed(variant.setup(sizes), machine::GUARD);
  workload.lay_out = [&variant, sizes](Matrices&) {
    return std::make_unique<LabTrial>(variant, sizes, machine::GUARD);
  };
  return workload;
}

std::vector<Workload> workloads_of(const std::vector<SelectedLab>& labs) {
  std::vector<Workload> workloads;
  for (const SelectedLab& one : labs) {
    for (const lab::Variant* variant : one.variants)
      workloads.push_back(lab_variant(*one.of, *variant, one.sizes));
  }
  return workloads;
}

}  // namespace runner
