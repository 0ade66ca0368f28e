#include "runner/trial/measure_labs.hpp"

#include <fmt/format.h>

#include <utility>

#include "app/interrupt.hpp"
#include "runner/machine/capacity.hpp"
#include "runner/trial/judge.hpp"
#include "runner/trial/lab_trial.hpp"
#include "runner/trial/measure.hpp"
#include "runner/trial/progress_line.hpp"
#include "runner/trial/provenance.hpp"

namespace runner {
namespace {

using results::Result;

std::string sizes_text(const lab::Sizes& sizes) {
  std::string text;
  for (const auto& [name, size] : sizes.all()) text += fmt::format(" --{} {}", name, size);
  return text;
}

void measure(const lab::Variant& variant, const lab::Sizes& sizes,
             const results::MeasureOptions& options, Result& result) {
  LabTrial trial(variant, sizes, machine::GUARD);
  trial.check(result);
  see_hazards(result.seen);
  if (!machine::MEASURES_TIME || !result.judged.correct || interrupted()) return;
  const machine::Launch copy = trial.copy();
  result.seen.timing = machine::time(trial.launch(), copy, options);
  if (result.seen.timing) result.seen.timing->is_against_copy = static_cast<bool>(copy);
}

}  // namespace

void refuse_labs_that_cannot_fit(const std::vector<SelectedLab>& labs,
                                 const machine::Device& device) {
  for (const SelectedLab& one : labs) {
    for (const lab::Variant* variant : one.variants) {
      if (lab::refusal(*variant, one.sizes) != nullptr) continue;
      refuse_what_cannot_fit(
          fmt::format("{}/{}{}", one.of->name, variant->name, sizes_text(one.sizes)),
          LabTrial::bytes_needed(variant->setup(one.sizes), machine::GUARD), device);
    }
  }
}

void measure_labs(const std::vector<SelectedLab>& labs, const LabOptions& options,
                  results::Run& run) {
  ProgressLine progress(options.with_progress);
  for (const SelectedLab& one : labs) {
    const lab::Lab& of = *one.of;
    const bool told = !of.is_riddle || options.reveal;
    run.lessons.push_back(
        {.lab = of.name, .question = of.question, .answer = told ? of.answer : ""});
    for (size_t i = 0; i < one.variants.size() && !interrupted(); ++i) {
      const lab::Variant& variant = *one.variants[i];
      progress.say(
          fmt::format("{}/{} ({} of {})", of.name, variant.name, i + 1, one.variants.size()));
      Result result{.who = identity_of(of, variant, one.sizes),
                    .idea = told ? variant.idea : "",
                    .date = now()};
      if (const char* refusal = lab::refusal(variant, one.sizes)) {
        result.refusal = refusal;
      } else {
        measure(variant, one.sizes, options.measure, result);
        judge(result, applies(of, one.sizes) ? variant.claims : std::vector<lab::Claim>{},
              result.judged);
      }
      add_result(std::move(result), run);
    }
  }
}

}  // namespace runner
