// What is looked at by itself (`show`, `profile`, `sass`, `ptx`): a rung's product, or a lab's variant, at one size.
#pragma once

#include <string>
#include <vector>

#include "kernels/ladder.hpp"
#include "labs/lab.hpp"
#include "results/run.hpp"

namespace runner {

struct Subject {
  const ladder::Rung* rung = nullptr;  // either this, on `problem`
  std::string
      kernel_file{};  // that defines the rung, if it is none of ours: see load() in subject_trial.hpp
  results::Problem problem{};
  const lab::Lab* lab = nullptr;  // or a variant of this, with `sizes`
  const lab::Variant* variant = nullptr;
  lab::Sizes sizes{};

  // Of a kernel_file, what follows wants it loaded.

  /// Who it is and on what: the identity and the problem that its results have.
  results::Result result() const;
  /// "2 coalesced", "copy_stride/8", or "mine" of a file
  std::string name() const;
  /// "256x256x256" or "elements=16384"
  std::string size() const;
  /// What it claims of this size; nothing where its promise does not speak of it.
  std::vector<device::Claim> claims() const;
  /// What it claims where its promise speaks.
  const std::vector<device::Claim>& promise() const;
  /// The words with which `profile` launches a rung of ours or a variant: see launch_once().
  std::vector<std::string> words() const;
};

}  // namespace runner
