// Turns the user's words into labs, variants and sizes, and these into workloads.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "labs/lab.hpp"
#include "results/values/run.hpp"
#include "runner/choose/workload.hpp"

namespace runner {

/// Variants of one lab, in the lab's order, and their sizes.
struct SelectedLab {
  const lab::Lab* of = nullptr;
  std::vector<const lab::Variant*> variants{};
  lab::Sizes sizes{};
};

/// Returns the lab of a word like "copy_stride" or "copy_stride/8", in any case; nullptr if there is none.
const lab::Lab* find_lab(std::string_view word, std::span<const lab::Lab* const> labs);

/// Returns the names of the labs, in order.
std::vector<std::string> lab_names(std::span<const lab::Lab* const> labs);

/// Returns the labs for words like "copy_stride", "copy_stride/8", "transpose,banks" and "all" (see meant_by()), each in the
/// default sizes of this machine. Throws Error(ExitCode::usage) for any other word.
std::vector<SelectedLab> select_labs(std::span<const std::string> words,
                                     std::span<const lab::Lab* const> labs);

/// Returns the names of the labs' parameters, each once, in order of appearance.
std::vector<std::string> parameter_names(std::span<const lab::Lab* const> labs);

/// The user's values of the parameters: "elements" and "1000".
using SizeWords = std::vector<std::pair<std::string, std::string>>;

/// Returns an odd number a little below the counted size, or the nearest allowed one, so that arrays have ragged ends.
/// Counters are recorded (bench/baselines) at the counted sizes and at these.
int64_t odd_size(const lab::Parameter& parameter);

/// Returns all of a lab's sizes, each odd.
lab::Sizes odd_sizes(const lab::Lab& of);

/// Gives each chosen lab the sizes that it has. Throws Error(ExitCode::usage) for a size that no chosen lab has, for a
/// word that is no number, and for a number out of a lab's range.
void set_sizes(std::vector<SelectedLab>& chosen, const SizeWords& words);

/// Returns a variant at these sizes. The lab must outlive the workload.
Workload lab_variant(const lab::Lab& of, const lab::Variant& variant, const lab::Sizes& sizes);

/// Returns the workloads of the chosen labs, in order.
std::vector<Workload> workloads_of(const std::vector<SelectedLab>& labs);

}  // namespace runner
