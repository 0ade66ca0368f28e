// What can be run: a rung's product, a lab's variant, a product of a stranger's kernel, each at one size. All of them are run,
// checked, timed, judged and shown in one way; what differs between them is data.
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
  results::Identity who{};                    // of its results
  std::optional<results::Problem> problem{};  // of a product
  std::string name{};                         // "2 coalesced", "copy_stride/8", or "mine" of a file
  std::string size{};                         // "256x256x256" or "elements=16384"
  std::string idea{};                         // in one line; empty for a stranger's
  std::string source_file{};                  // "02_coalesced.cu", without its folder
  std::string asked{};                        // the size in a user's words: "--size 256x256x256"
  std::vector<std::string>
      words{};  // a command line's that ask for it: "2", "--size", "256x256x256"
  std::vector<device::Claim> promise{};  // what it claims where its promise speaks
  std::vector<device::Claim> claims{};   // what it claims of this size
  std::string refusal{};                 // why it does not run at this size; empty if it does
  ladder::Arithmetic arithmetic = ladder::FP32;  // of a product
  int compute_capability = 0;                    // that it needs
  double bytes = 0;                              // of device memory that it needs
  std::optional<results::Lesson> lesson{};       // a lab's question and answer
  bool is_riddle = false;  // idea and answer are shown to those who ask for them
  const ladder::Rung* held_to_contract =
      nullptr;  // asked all of BLAS's contract, not only this problem
  std::string
      kernel_file{};  // that defines it, and is not loaded yet: see load() in launch_once.hpp

  /// Lays it out on the device. Products of one problem share `matrices`, which must outlive the trial. Throws Error if
  /// memory does not suffice.
  std::function<std::unique_ptr<WorkloadTrial>(Matrices& matrices)> lay_out{};

  /// Its result, of which nothing is known yet.
  results::Result result() const { return {.who = who, .problem = problem}; }
};

/// A product of one of our rungs, which must outlive the workload.
Workload product(const ladder::Rung& rung, const results::Problem& problem);
/// A product of a rung that no test of ours has seen; it is held to the whole contract.
Workload strangers_product(const ladder::Rung& rung, const results::Problem& problem);
/// A product of the rung that a file defines, once it is loaded.
Workload product_of_file(const std::string& kernel_file, const results::Problem& problem);

/// Each rung on each problem; rungs of one problem stand together.
std::vector<Workload> products(std::span<const ladder::Rung* const> rungs,
                               std::span<const results::Problem> problems);

/// Bytes of device memory that the verifier and the measurement hold: A and B of both passes, and C.
double bytes_needed(const results::Problem& problem);

/// What the rung needs and the device has not, in a sentence; empty if nothing.
std::string lack_of(const machine::Device& device, const ladder::Rung& rung);

/// Throws Error(ExitCode::usage) if one of them needs more memory than the device has.
void refuse_what_cannot_fit(std::span<const Workload> workloads, const machine::Device& device);

}  // namespace runner
