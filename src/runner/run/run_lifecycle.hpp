// The lifecycle of every run: opens the device, measures, prints and writes, keeps finished results, returns the exit code.
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

/// Work with untrusted code. It runs in its own process (apart.hpp), which reports results as they are ready.
struct ApartWork {
  Bounds bounds{};
  results::Identity who{};  // identifies the judged kernel until the work names it
  /// Runs first, in this process: compiles the files. Throws Error.
  std::function<void()> prepare;
  std::function<void(const machine::Device&, const Tell&, results::Run&)> measure;
};

/// The parts that differ between runs.
struct Work {
  /// Selects the recorded figures for missing times.
  Needed recorded{};
  /// Checks the request before anything runs. Throws Error if it cannot be served.
  std::function<void(const machine::Device&)> refuse_what_cannot_be_run;
  /// Adds results to the run as they are ready.
  std::function<void(const machine::Device&, results::Run&)> measure;
  /// Used instead of `measure`, if set.
  std::optional<ApartWork> apart{};
};

/// Does the work, prints the results, returns the exit code. Throws Error if it cannot begin.
ExitCode run_lifecycle(const RunOptions& options, const Work& work);

/// Returns the exit code of a run: interrupted, failed, wrong, untrusted (with `strict`), or ok.
ExitCode verdict_on(const results::Run& run, const std::optional<Error>& failure, bool strict);

}  // namespace runner
