// A workload: a rung's product, a lab's variant, or a product of a user's kernel, each at one size. All are run, checked,
// timed, judged and shown in one way; they differ in data only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/ladder.hpp"
#include "promise/promise.hpp"
#include "results/values/run.hpp"
#include "runner/machine/machine.hpp"
#include "runner/verify/product_trial.hpp"
#include "runner/verify/workload_trial.hpp"

namespace runner {

struct Workload {
  results::Identity who{};                    // identifies its results
  std::optional<results::Problem> problem{};  // of a product
  std::string name{};                    // "2 coalesced", "copy_stride/8", or "mine" for a file
  std::string size{};                    // "256x256x256" or "elements=16384"
  std::string idea{};                    // in one line; empty for a user's kernel
  std::string source_file{};             // "02_coalesced.cu", without its folder
  std::string asked{};                   // the size as an option: "--size 256x256x256"
  std::vector<std::string> words{};      // the command line for it: "2", "--size", "256x256x256"
  std::vector<device::Claim> promise{};  // its promise's claims, for sizes that the promise covers
  std::vector<device::Claim> claims{};   // its claims at this size
  std::string refusal{};                 // the reason not to run at this size; empty if it runs
  ladder::Arithmetic arithmetic = ladder::FP32;  // a product's
  ladder::Needs needs = {};
  double bytes = 0;                         // device memory that it needs
  std::optional<results::Lesson> lesson{};  // a lab's question and answer
  bool is_riddle = false;                   // show idea and answer only on request
  const ladder::Rung* held_to_contract =
      nullptr;                // set if all of BLAS's contract is asked, not only this problem
  std::string kernel_file{};  // its file, if not loaded yet: see load() in launch_once.hpp

  /// Lays the workload out on the device. Products of one problem share `matrices`, which must outlive the trial. Throws Error
  /// if memory does not suffice.
  std::function<std::unique_ptr<WorkloadTrial>(Matrices& matrices)> lay_out{};

  /// Returns an empty result for the workload.
  results::Result result() const {
    return {.who = who,
            .problem = problem,
            .below_fp32 = ladder::is_below_fp32(arithmetic) ? arithmetic.name : ""};
  }
};

/// Returns a product of one of our rungs. The rung must outlive the workload.
Workload product(const ladder::Rung& rung, const results::Problem& problem);
/// Returns a product of a user's rung, which is held to the whole contract.
Workload strangers_product(const ladder::Rung& rung, const results::Problem& problem);
/// Returns a product of a user's file, which is loaded later.
Workload product_of_file(const std::string& kernel_file, const results::Problem& problem);

/// Returns each rung on each problem, grouped by problem.
std::vector<Workload> products(std::span<const ladder::Rung* const> rungs,
                               std::span<const results::Problem> problems);

/// Returns the bytes of device memory for verifier and measurement: A and B of both passes, and C.
double bytes_needed(const results::Problem& problem);

/// Returns the rung's unmet requirement, in a sentence; empty if the device meets all.
std::string lack_of(const machine::Device& device, const ladder::Rung& rung);

/// Returns what the rung does not do of the problem, in a sentence; empty if it does all.
std::string lack_of(const results::Problem& problem, const ladder::Rung& rung);

/// Throws Error(ExitCode::usage) if a workload needs more memory than the device has.
void refuse_what_cannot_fit(std::span<const Workload> workloads, const machine::Device& device);

}  // namespace runner
