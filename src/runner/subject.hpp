// What `profile`, `sass` and `ptx` look at: a rung's product, or a lab's variant, at one size.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/ladder.hpp"
#include "labs/lab.hpp"
#include "results/run.hpp"
#include "runner/machine.hpp"

namespace runner {

struct Subject {
  const ladder::Rung* rung = nullptr;  // either this, on `problem`
  results::Problem problem{};
  const lab::Lab* lab = nullptr;  // or a variant of this, with `sizes`
  const lab::Variant* variant = nullptr;
  lab::Sizes sizes{};

  /// Who it is and on what: the identity and the problem that its results have.
  results::Result result() const;
  /// "2 coalesced" or "copy_stride/8"
  std::string name() const;
  /// "256x256x256" or "elements=16384"
  std::string size() const;
  /// What it claims of this size; nothing where its promise does not speak of it.
  std::vector<device::Claim> claims() const;
  /// What it claims where its promise speaks.
  const std::vector<device::Claim>& promise() const;
  /// The words with which this program launches it once: see launch_once().
  std::vector<std::string> words() const;
};

/// What was asked for, as words.
struct SubjectWords {
  std::vector<std::string> names{};  // "2", "naive", "all", "copy_stride", "copy_stride/8"
  std::vector<std::string> sizes{};  // of the rungs
  std::vector<std::pair<std::string, int64_t>> parameters{};  // of the labs: "elements", 1000
};

/// The subjects that the words name, in their order and each once: a lab is all of its variants, `all` all rungs with a
/// kernel of ours and all variants. Without sizes a rung is taken at 256, a lab at its least; `all` takes an odd size of
/// each besides. Throws Error(ExitCode::usage).
std::vector<Subject> select_subjects(const SubjectWords& words);

/// Sizes that are no multiple of what the lab's promises speak of.
lab::Sizes odd_sizes(const lab::Lab& of);

/// Lays the subject's data out and hands over one launch of it, valid during the call.
void with_launch(const Subject& subject, const std::function<void(const machine::Launch&)>& use);

/// Runs it, checks its result and says what it saw: `seen` and `judged`, without claims.
results::Result verified(const Subject& subject);

/// Launches it once between cudaProfilerStart and cudaProfilerStop: what a profiler is to see.
void launch_once(const Subject& subject);

}  // namespace runner
