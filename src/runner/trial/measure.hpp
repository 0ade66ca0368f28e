// Kernels on problems: verified, watched, timed and judged.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/ladder.hpp"
#include "results/run.hpp"
#include "runner/machine/machine.hpp"
#include "runner/verify/contract.hpp"
#include "runner/verify/verifier.hpp"

namespace runner {

/// A kernel that is to be run: a rung, or a stranger's.
struct Candidate {
  const ladder::Rung* rung = nullptr;
  results::Identity who{};
  bool whole_contract =
      false;  // whether it is put through all of BLAS's contract, not only the problems asked for
};

Candidate candidate_of(const ladder::Rung& rung);
/// A kernel that no test of ours has seen.
Candidate stranger(const ladder::Rung& rung);

/// Verifies the rung on the verifier's problem; the path that ran and what was seen go to `result`.
Verdict verify_product(const ladder::Rung& rung, Verifier& verifier, results::Result& result);

/// Verifies the candidate on the verifier's problem, watches it, times it where it is right, and judges.
results::Result measure(const Candidate& candidate, const results::Problem& problem,
                        Verifier& verifier, const results::MeasureOptions& options);

/// What of hazards was seen in all launches since it was last asked: those of a result, the checks' included.
void see_hazards(results::Observation& seen);

/// What the rung needs and the device has not, in a sentence; empty if nothing.
std::string lack_of(const machine::Device& device, const ladder::Rung& rung);

/// What the verifier and the measurement will hold on the device: A and B of both passes, and C.
double bytes_needed(const results::Problem& problem);

/// What the kernel does not keep of one of the contract's checks; empty where it keeps it. A CUDA call of the check's own that
/// finds what the kernel did is the kernel's failure too.
std::string complaint_of(const ContractCheck& check, const ladder::Rung& rung);

/// Hears what is done from now on, in a few words, and what is known by then of the candidate whose turn it is.
using Tell = std::function<void(const std::string& step, const results::Result& at_hand)>;

/// Runs each candidate on each problem and adds a result to `run` as soon as it is known, so that what is done before
/// a failure (an Error) or an interruption stays. Roofs are measured before the first time is taken.
void measure_all(const std::vector<Candidate>& candidates,
                 const std::vector<results::Problem>& problems,
                 const results::MeasureOptions& options, const Tell& tell, results::Run& run);
/// The same; `with_progress` says on a terminal what is under way.
void measure_all(const std::vector<Candidate>& candidates,
                 const std::vector<results::Problem>& problems,
                 const results::MeasureOptions& options, bool with_progress, results::Run& run);

/// Adds a result as soon as it is known, unless its launch was cut short by the user: that is not wrong. Throws Error if
/// the launch left the device in a state in which nothing that follows could be believed.
void add_result(results::Result result, results::Run& run);

}  // namespace runner
