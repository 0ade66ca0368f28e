// Runs sgemm_runner several times, each time in a new process: a device settles in one of a few states when a program starts.
#pragma once

#include <string>
#include <vector>

#include "results/values/run.hpp"

namespace runner {

/// The arguments of one run of `sgemm_runner`.
using Call = std::vector<std::string>;

/// Seconds to measure a kernel in each of several runs, by default.
inline constexpr double SECONDS_OF_A_RUN = 0.4;
/// Returns the default number of runs: one on the simulated GPU, whose counts do not change.
int usual_runs();

/// Makes all calls `runs` times, in rounds, and adds their results to `all` (results::add_run). Shows `what` on a
/// terminal meanwhile. An interruption stops it; the results of whole rounds stay. Throws Error if a call fails.
void make_calls(const std::vector<Call>& calls, int runs, const char* what, results::Run& all);

/// Returns the calls that measure the same rows again: the same kernels, shapes and options. `kernel_files` are the
/// user's own kernels. Throws Error(ExitCode::not_comparable) for a row that this program cannot run.
std::vector<Call> calls_for(const std::vector<const results::Result*>& rows,
                            const std::vector<std::string>& kernel_files);

/// Returns the files of all `--kernel FILE` on a command line.
std::vector<std::string> kernel_files_of(const std::vector<std::string>& command_line);

}  // namespace runner
