// Which labs and variants the user means, and in which sizes.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "labs/lab.hpp"

namespace runner {

/// Variants of one lab, in the lab's order, and the sizes that they are run with.
struct SelectedLab {
  const lab::Lab* of = nullptr;
  std::vector<const lab::Variant*> variants{};
  lab::Sizes sizes{};
};

/// The labs that words like "copy_stride", "copy_stride/8", "transpose,banks" and "all" name, in the order asked for,
/// each once and in the default sizes of this machine. Names match whatever their case. Throws Error(ExitCode::usage)
/// for anything else.
std::vector<SelectedLab> select_labs(std::span<const std::string> words,
                                     std::span<const lab::Lab* const> labs);

/// The names of all parameters of the labs, each once, in the order in which they are met.
std::vector<std::string> parameter_names(std::span<const lab::Lab* const> labs);

/// What the user typed for the parameters: "elements" and "1000".
using SizeWords = std::vector<std::pair<std::string, std::string>>;

/// Gives each chosen lab the sizes that it has. Throws Error(ExitCode::usage) for a size that no chosen lab has, one that is
/// no number, and one that is out of a lab's range.
void set_sizes(std::vector<SelectedLab>& chosen, const SizeWords& words);

}  // namespace runner
