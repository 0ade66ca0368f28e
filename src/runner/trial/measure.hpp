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

/// Fills in the hazards of all launches since the last call: a result's launches, with its checks.
void see_hazards(results::Observation& seen);

/// Returns the kernel's failure in one of the contract's checks; empty if it passes. A CUDA error in the check's own
/// calls that the kernel caused is the kernel's failure, too.
std::string complaint_of(const ContractCheck& check, const ladder::Rung& rung);

/// Returns the machine's message about the fault in a check of the contract; empty if there is none. Leaves the advice
/// out if it would mislead. It misleads if the check knows the usual reason, or if a stray address fell into the memory
/// of an earlier check.
std::string fault_in(const ContractCheck& check);

/// Receives the current activity, in a few words, and the current workload's result so far.
using Tell = std::function<void(const std::string& step, const results::Result& at_hand)>;

/// Options of a measurement.
struct HowMeasured {
  results::MeasureOptions options{};
  bool reveal = false;  // show a riddle's ideas and answer
  Extras extras{};      // of products
};

/// Runs each workload and adds its result to `run` at once, so that results stay after a failure (an Error) or an
/// interruption. A kernel that must keep the contract is checked against all of it first. Such kernels come last,
/// because they may leave the device unusable. Roofs are measured before the first product is timed.
void measure_all(const std::vector<Workload>& workloads, const HowMeasured& how, const Tell& tell,
                 results::Run& run);
/// Does the same; `with_progress` shows the progress on a terminal.
void measure_all(const std::vector<Workload>& workloads, const HowMeasured& how, bool with_progress,
                 results::Run& run);

/// Adds a result at once, unless the user interrupted its launch. Throws Error if the launch left the device unusable,
/// so that no later result can be trusted.
void add_result(results::Result result, results::Run& run);

}  // namespace runner
