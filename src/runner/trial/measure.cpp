#include "runner/trial/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/error.hpp"
#include "app/interrupt.hpp"
#include "results/values/date.hpp"
#include "runner/machine/device_buffer.hpp"
#include "runner/trial/judge.hpp"
#include "runner/trial/judged_code.hpp"
#include "runner/trial/progress_line.hpp"
#include "runner/trial/provenance.hpp"

namespace runner {
namespace {

using results::Result;

// True if the device can run. A fault leaves it without its context, so no later result could be trusted.
bool device_is_usable() { return cudaDeviceSynchronize() == cudaSuccess; }

// The checks of the contract that a kernel fails. They stop after a failure that leaves the device unusable.
struct Contract {
  int checks = 0;
  std::vector<results::BrokenCheck> broken{};
  std::vector<results::Hazard> hazards{};
  std::string fault{};  // the machine's message, if a check left the device unusable
};

// Returns the empty result of a workload that is not measured yet.
Result begun(const Workload& workload, const Contract& contract) {
  Result result = workload.result();
  result.date = results::utc_now();
  result.seen.looked_for_hazards = machine::looks_for_hazards();
  result.seen.hazards = contract.hazards;
  result.judged.contract = contract.broken;
  result.judged.contract_checks = contract.checks;
  return result;
}
// Returns the same for a step that is not about the workload's problem.
Result begun_without_problem(const Workload& workload) {
  Result result = begun(workload, {});
  result.problem.reset();
  return result;
}

Contract put_through_contract(const Workload& workload, const Tell& tell) {
  Contract asked;
  machine::offer_addresses(
      CONTRACT_MEMORY_BYTES);  // says that memory is lacking before the other checks
  for (const ContractCheck& check : contract()) {
    if (interrupted()) break;
    tell(fmt::format("{}: the contract, {}", workload.who.name, check.name),
         begun(workload, asked));
    ++asked.checks;
    const std::string complaint = complaint_of(check, *workload.held_to_contract);
    const bool usable = device_is_usable();
    if (!usable) asked.fault = fault_in(check);
    if (!complaint.empty()) {
      const bool is_usual = !asked.fault.empty() && check.usual_reason != nullptr;
      asked.broken.push_back({check.name, is_usual
                                              ? fmt::format("{}: {}", check.usual_reason, complaint)
                                              : complaint});
    }
    if (!usable) break;
  }
  asked.hazards = machine::take_hazards();
  return asked;
}

// Returns the rungs that must keep the contract, each once. nullptr comes first and stands for all other workloads:
// after a failure that leaves the device unusable, nothing else can run.
std::vector<const ladder::Rung*> in_order_of_trust(const std::vector<Workload>& workloads) {
  std::vector<const ladder::Rung*> rungs{nullptr};
  for (const Workload& one : workloads) {
    if (std::ranges::find(rungs, one.held_to_contract) == rungs.end())
      rungs.push_back(one.held_to_contract);
  }
  return rungs;
}

// Adds a row for each problem of a rung that left the device unusable in a check of the contract.
void add_unusable(const ladder::Rung* rung, const Contract& asked,
                  const std::vector<Workload>& workloads, results::Run& run) {
  bool is_told = false;
  for (const Workload& one : workloads) {
    if (one.held_to_contract != rung) continue;
    Result failed = begun(one, asked);
    failed.judged.complaint = "it left the device unusable";
    if (!is_told) failed.judged.failure = asked.fault;
    is_told = true;
    run.results.push_back(std::move(failed));
  }
}

// True for products of one problem, and for variants of one lab: they stand together.
bool stand_together(const Workload& a, const Workload& b) {
  return a.problem == b.problem && (a.problem || a.who.name == b.who.name);
}

// Returns "256x256x256: 02_coalesced (1 of 2)" or "copy_stride/8 (4 of 6)".
std::string step_of(const std::vector<Workload>& workloads, size_t at) {
  const Workload& one = workloads[at];
  size_t first = at, last = at;
  while (first > 0 && stand_together(workloads[first - 1], one)) --first;
  while (last + 1 < workloads.size() && stand_together(workloads[last + 1], one)) ++last;
  const std::string name =
      one.problem ? fmt::format("{}: {}", one.size, results::label(one.who)) : one.name;
  return fmt::format("{} ({} of {})", name, at - first + 1, last - first + 1);
}

void add_lesson(const Workload& workload, bool told, results::Run& run) {
  if (!workload.lesson) return;
  const bool is_told_before = std::ranges::any_of(
      run.lessons, [&](const results::Lesson& other) { return other.lab == workload.lesson->lab; });
  if (is_told_before) return;
  results::Lesson& lesson = run.lessons.emplace_back(*workload.lesson);
  if (!told) lesson.answer.clear();
}

}  // namespace

void see_hazards(results::Observation& seen) {
  seen.looked_for_hazards = machine::looks_for_hazards();
  results::add_hazards(machine::take_hazards(), seen.hazards);
}

std::string complaint_of(const ContractCheck& check, const ladder::Rung& rung) {
  try {
    return check.complaint(rung);
  } catch (const CudaFailure& failure) {
    const std::string problem = last_problem();
    return failure.in_words() + (problem.empty() ? "" : " at " + problem);
  }
}

std::string fault_in(const ContractCheck& check) {
  const machine::Failure failure = machine::last_failure();
  const bool misleads = check.usual_reason != nullptr || failure.is_in_freed_memory;
  return misleads ? failure.account : failure.text;
}

void add_result(Result result, results::Run& run) {
  const bool failed = !result.judged.error.empty();
  if (failed && interrupted()) return;
  run.results.push_back(std::move(result));
  if (failed && !device_is_usable())
    throw Error(ExitCode::failure, "the device cannot be used after that failure");
}

Result measure(const Workload& workload, Matrices& matrices,
               const results::MeasureOptions& options) {
  Result result = workload.result();
  result.date = results::utc_now();
  result.refusal = workload.refusal;
  if (!result.refusal.empty()) return result;
  const std::unique_ptr<WorkloadTrial> trial = workload.lay_out(matrices);
  trial->check(result);
  if (result.judged.correct && !interrupted()) result.seen.timing = trial->time(options);
  see_hazards(result.seen);
  judge(workload.claims, result);
  return result;
}

void measure_all(const std::vector<Workload>& workloads, const HowMeasured& how, const Tell& tell,
                 results::Run& run) {
  const auto product =
      std::ranges::find_if(workloads, [](const Workload& one) { return one.problem.has_value(); });
  if (machine::MEASURES_TIME && product != workloads.end() && !interrupted()) {
    tell("measuring the device's limits", begun_without_problem(*product));
    run.from.roofs = machine::measure_roofs();
  }
  Matrices matrices(how.extras);
  for (const ladder::Rung* rung : in_order_of_trust(workloads)) {
    Contract contract;
    for (size_t i = 0; i < workloads.size() && !interrupted(); ++i) {
      const Workload& one = workloads[i];
      if (one.held_to_contract != rung) continue;
      if (rung != nullptr && contract.checks == 0) {
        contract = put_through_contract(one, tell);
        if (!device_is_usable()) {
          add_unusable(rung, contract, workloads, run);
          throw Error(ExitCode::wrong, "the device cannot be used after that failure");
        }
        if (interrupted()) return;
      }
      const bool told = !one.is_riddle || how.reveal;
      add_lesson(one, told, run);
      if (one.problem && matrices.are_new(*one.problem, one.arithmetic)) {
        tell(fmt::format("{}: preparing", one.size), begun(one, contract));
        matrices.verifier(*one.problem, one.arithmetic);
        if (interrupted()) return;
      }
      tell(step_of(workloads, i), begun(one, contract));
      Result result = measure(one, matrices, how.options);
      if (one.lesson && told) result.idea = one.idea;
      results::add_hazards(contract.hazards, result.seen.hazards);
      result.judged.contract = contract.broken;
      result.judged.contract_checks = contract.checks;
      add_result(std::move(result), run);
    }
  }
}

void measure_all(const std::vector<Workload>& workloads, const HowMeasured& how, bool with_progress,
                 results::Run& run) {
  ProgressLine progress(with_progress);
  measure_all(
      workloads, how, [&](const std::string& step, const Result&) { progress.say(step); }, run);
}

}  // namespace runner
