// How every run goes, whatever is run: opened, measured, shown and written, what is done kept, and its exit code.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/error.hpp"
#include "results/values/run.hpp"
#include "runner/machine/machine.hpp"
#include "runner/report/report.hpp"
#include "runner/request/run_request.hpp"
#include "runner/trial/apart.hpp"
#include "runner/trial/measure.hpp"

namespace runner {

/// Work that runs anybody's code: it is done in a process of its own (apart.hpp), which says what it has so far.
struct ApartWork {
  Bounds bounds{};
  results::Identity who{};  // who is judged, as long as the work has not said so
  /// What comes before, in this process: to compile. Throws Error.
  std::function<void()> prepare;
  std::function<void(const machine::Device&, const Tell&, results::Run&)> measure;
};

/// What is particular to a run.
struct Work {
  /// Whose recorded figures stand in for what is not timed here.
  Needed recorded{};
  /// Looks at what was asked for before anything is run, and throws Error if it cannot be.
  std::function<void(const machine::Device&)> refuse_what_cannot_be_run;
  /// Adds results to the run as they are known.
  std::function<void(const machine::Device&, results::Run&)> measure;
  /// In place of measure.
  std::optional<ApartWork> apart{};
};

/// Does the work, prints the results and says how it went. Throws Error where it cannot begin.
ExitCode run_lifecycle(const RunOptions& options, const Work& work);

/// How a run went: interrupted, ended by a failure, wrong, with `strict` not to be trusted, or well.
ExitCode verdict_on(const results::Run& run, const std::optional<Error>& failure, bool strict);

}  // namespace runner
