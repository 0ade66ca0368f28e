#include "runner/trial/measure.hpp"

#include <fmt/format.h>

#include <optional>

#include "app/error.hpp"
#include "app/interrupt.hpp"
#include "runner/choose/select.hpp"
#include "runner/machine/capacity.hpp"
#include "runner/machine/device_buffer.hpp"
#include "runner/machine/machine.hpp"
#include "runner/trial/judge.hpp"
#include "runner/trial/judged_code.hpp"
#include "runner/trial/progress_line.hpp"
#include "runner/trial/provenance.hpp"
#include "runner/verify/contract.hpp"
#include "runner/verify/product.hpp"
#include "runner/verify/verifier.hpp"

namespace runner {
namespace {

using results::Problem;
using results::Result;

// A fault leaves a device without its context: nothing that follows could be believed.
bool device_is_usable() { return cudaDeviceSynchronize() == cudaSuccess; }

// What a candidate broke of the contract. It ends with the first thing that leaves the device unusable.
struct Contract {
  int checks = 0;
  std::vector<std::string> broken{};
  std::vector<results::Hazard> hazards{};
};

// Of a candidate that has not been measured yet.
Result begun(const Candidate& candidate, const Contract& contract) {
  Result result{.who = candidate.who, .date = now()};
  result.seen.looked_for_hazards = machine::looks_for_hazards();
  result.seen.hazards = contract.hazards;
  result.judged.contract = contract.broken;
  result.judged.contract_checks = contract.checks;
  return result;
}

Contract put_through_contract(const Candidate& candidate, const Tell& tell) {
  Contract asked;
  machine::offer_addresses(
      CONTRACT_MEMORY_BYTES);  // what cannot be had is said before the rest is asked
  for (const ContractCheck& check : contract()) {
    if (interrupted()) break;
    tell(fmt::format("{}: the contract, {}", candidate.who.name, check.name),
         begun(candidate, asked));
    ++asked.checks;
    if (const std::string complaint = complaint_of(check, *candidate.rung); !complaint.empty()) {
      asked.broken.push_back(fmt::format("{}: {}", check.name, complaint));
    }
    if (!device_is_usable()) break;
  }
  asked.hazards = machine::take_hazards();
  return asked;
}

}  // namespace

double bytes_needed(const Problem& p) {
  const auto bytes = [](int64_t rows, int64_t ld) {
    return static_cast<double>(rows) * static_cast<double>(ld) * sizeof(float);
  };
  return 2 * (bytes(p.M, p.lda) + bytes(p.K, p.ldb)) + bytes(p.M, p.ldc);
}

void see_hazards(results::Observation& seen) {
  seen.looked_for_hazards = machine::looks_for_hazards();
  results::add_hazards(machine::take_hazards(), seen.hazards);
}

Candidate candidate_of(const ladder::Rung& rung) {
  return {.rung = &rung, .who = identity_of(rung)};
}

Candidate stranger(const ladder::Rung& rung) {
  return {.rung = &rung, .who = identity_of_stranger(rung), .whole_contract = true};
}

Verdict verify_product(const ladder::Rung& rung, Verifier& verifier, Result& result) {
  const Verdict verdict = verifier.check([&](const ladder::Sgemm& sgemm, Values values) {
    if (const char* path = ladder::path(rung, sgemm)) result.path = path;
    results::Observation unseen;
    return run_product(rung, sgemm, values == Values::reals ? result.seen : unseen);
  });
  if (verdict.error != cudaSuccess) result.seen = {};  // of a launch that was cut short
  return verdict;
}

Result measure(const Candidate& candidate, const Problem& problem, Verifier& verifier,
               const results::MeasureOptions& options) {
  Result result{.who = candidate.who, .problem = problem, .date = now()};
  const Verdict verdict = verify_product(*candidate.rung, verifier, result);
  if (verdict.correct && !interrupted()) {
    result.seen.timing = time_product(*candidate.rung, verifier.prepare(Values::reals), options);
  }
  see_hazards(result.seen);
  result.judged = judge(result, verdict, candidate.rung->promise);
  if (verdict.error != cudaSuccess) result.judged.failure = machine::last_failure();
  return result;
}

std::string complaint_of(const ContractCheck& check, const ladder::Rung& rung) {
  try {
    return check.complaint(rung);
  } catch (const CudaFailure& failure) {
    const std::string problem = last_problem();
    return failure.in_words() + (problem.empty() ? "" : " at " + problem);
  }
}

std::string lack_of(const machine::Device& device, const ladder::Rung& rung) {
  const int needed = rung.needs.compute_capability;
  if (needed <= device.compute_capability) return "";
  return fmt::format("{} {} needs compute capability {}.{}, and {} has {}.{}", rung.number,
                     rung.name, needed / 10, needed % 10, the_device(device),
                     device.compute_capability / 10, device.compute_capability % 10);
}

void add_result(Result result, results::Run& run) {
  const bool failed = !result.judged.error.empty();
  if (failed && interrupted()) return;
  run.results.push_back(std::move(result));
  if (failed && !device_is_usable())
    throw Error(ExitCode::failure, "the device cannot be used after that failure");
}

void measure_all(const std::vector<Candidate>& candidates, const std::vector<Problem>& problems,
                 const results::MeasureOptions& options, const Tell& tell, results::Run& run) {
  std::vector<Contract> contracts(candidates.size());
  for (size_t i = 0; i < candidates.size() && !interrupted(); ++i) {
    if (!candidates[i].whole_contract) continue;
    contracts[i] = put_through_contract(candidates[i], tell);
    if (device_is_usable()) continue;
    Result failed = begun(candidates[i], contracts[i]);
    failed.judged.complaint = "it left the device unusable";
    failed.judged.failure = machine::last_failure();
    run.results.push_back(std::move(failed));
    throw Error(ExitCode::wrong, "the device cannot be used after that failure");
  }
  if (candidates.empty()) return;
  if (machine::MEASURES_TIME && !problems.empty()) {
    tell("measuring what the device can do at most", begun(candidates[0], contracts[0]));
    run.from.roofs = machine::measure_roofs();
  }
  for (const Problem& problem : problems) {
    if (interrupted()) return;
    tell(fmt::format("{}: preparing", problem.size()), begun(candidates[0], contracts[0]));
    Verifier verifier(problem, Layout{.guard = machine::GUARD});
    for (size_t i = 0; i < candidates.size() && !interrupted(); ++i) {
      Result at_hand = begun(candidates[i], contracts[i]);
      at_hand.problem = problem;
      tell(fmt::format("{}: {} ({} of {})", problem.size(), results::label(candidates[i].who),
                       i + 1, candidates.size()),
           at_hand);
      Result result = measure(candidates[i], problem, verifier, options);
      results::add_hazards(contracts[i].hazards, result.seen.hazards);
      result.judged.contract = contracts[i].broken;
      result.judged.contract_checks = contracts[i].checks;
      add_result(std::move(result), run);
    }
  }
}

void measure_all(const std::vector<Candidate>& candidates, const std::vector<Problem>& problems,
                 const results::MeasureOptions& options, bool with_progress, results::Run& run) {
  ProgressLine progress(with_progress);
  measure_all(
      candidates, problems, options,
      [&](const std::string& step, const Result&) { progress.say(step); }, run);
}

}  // namespace runner
