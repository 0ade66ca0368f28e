// Runs and checks a lab's variant once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "labs/lab.hpp"
#include "runner/verify/lab_trial.hpp"

/// True if the variant refuses these sizes.
inline bool is_refused(const lab::Variant& variant, const lab::Sizes& sizes) {
  return lab::refusal(variant, sizes) != nullptr;
}

/// Runs the variant, which must not refuse the sizes, and returns its observation and judgement.
inline results::Result run_variant(const lab::Variant& variant, const lab::Sizes& sizes) {
  results::Result result;
  runner::LabTrial trial(variant, sizes, runner::machine::GUARD);
  result.judged = trial.check(result.seen);
  return result;
}

/// Returns the lab's sizes, each chosen by a function of its parameter.
template <typename Choice>
lab::Sizes chosen_sizes(const lab::Lab& of, Choice choice) {
  std::vector<std::pair<std::string, int64_t>> sizes;
  sizes.reserve(of.parameters.size());
  for (const lab::Parameter& p : of.parameters) sizes.emplace_back(p.name, choice(p));
  return lab::Sizes(std::move(sizes));
}
