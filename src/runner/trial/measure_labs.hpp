// Labs on the machine: each chosen variant checked, watched, timed beside a copy and judged.
#pragma once

#include <vector>

#include "results/run.hpp"
#include "runner/choose/select_labs.hpp"
#include "runner/machine/machine.hpp"

namespace runner {

/// How a lab is to be measured and shown.
struct LabOptions {
  results::MeasureOptions measure{};
  bool reveal = false;  // tell the ideas and the answer of a riddle
  bool with_progress = false;
};

/// Throws Error(ExitCode::usage) if one of them needs more memory than the device has, naming it.
void refuse_labs_that_cannot_fit(const std::vector<SelectedLab>& labs,
                                 const machine::Device& device);

/// Adds a result for each variant to `run` as soon as it is known, so that what is done before a failure (an Error) or an
/// interruption stays.
void measure_labs(const std::vector<SelectedLab>& labs, const LabOptions& options,
                  results::Run& run);

}  // namespace runner
