// Checks, watches, times and judges workloads.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "results/values/run.hpp"
#include "runner/choose/workload.hpp"
#include "runner/machine/machine.hpp"
#include "runner/verify/contract/contract.hpp"

namespace runner {

/// Runs the workload: checks its result, watches it, times it if it is right, and judges it.
results::Result measure(const Workload& workload, Matrices& matrices,
                        const results::MeasureOptions& options);

/// What of hazards was seen in all launches since it was last asked: those of a result, the checks' included.
void see_hazards(results::Observation& seen);

/// What the kernel does not keep of one of the contract's checks; empty where it keeps it. A CUDA call of the check's own that
/// finds what the kernel did is the kernel's failure too.
std::string complaint_of(const ContractCheck& check, const ladder::Rung& rung);

/// Hears what is done from now on, in a few words, and what is known by then of the workload whose turn it is.
using Tell = std::function<void(const std::string& step, const results::Result& at_hand)>;

/// Options of a measurement.
struct HowMeasured {
  results::MeasureOptions options{};
  bool reveal = false;  // of a riddle: ideas and answer
};

/// Runs each workload and adds a result to `run` as soon as it is known, so that what is done before a failure (an Error)
/// or an interruption stays. What is held to the contract is asked all of it first. Roofs are measured before the first
/// time of a product is taken.
void measure_all(const std::vector<Workload>& workloads, const HowMeasured& how, const Tell& tell,
                 results::Run& run);
/// The same; `with_progress` shows the progress on a terminal.
void measure_all(const std::vector<Workload>& workloads, const HowMeasured& how, bool with_progress,
                 results::Run& run);

/// Adds a result as soon as it is known, unless its launch was cut short by the user: that is not wrong. Throws Error if
/// the launch left the device in a state in which nothing that follows could be believed.
void add_result(results::Result result, results::Run& run);

}  // namespace runner
