// Runs of sgemm_runner as a program of its own: measured anew in a process of its own each time, since a device settles in one of a few
// states when a program starts.
#pragma once

#include <string>
#include <vector>

#include "results/values/run.hpp"

namespace runner {

/// The words behind `sgemm_runner` that make a run.
using Call = std::vector<std::string>;

/// How long a kernel is measured in each of several runs, in seconds, where the user says nothing.
inline constexpr double SECONDS_OF_A_RUN = 0.4;
/// How many runs make a measurement: one of the simulated GPU, whose counts do not change.
int usual_runs();

/// Makes all the calls `runs` times, one after the other and all over again, and adds what they measured to `all`
/// (results::add_run). `what` is said meanwhile where somebody watches. An interruption ends it, with the results that are
/// whole. Throws Error if a call fails.
void make_calls(const std::vector<Call>& calls, int runs, const char* what, results::Run& all);

/// The calls that measure the same rows again: the same kernels, shapes and options. `kernel_files` are the user's own kernels.
/// Throws Error(ExitCode::not_comparable) for a row that this program cannot make.
std::vector<Call> calls_for(const std::vector<const results::Result*>& rows,
                            const std::vector<std::string>& kernel_files);

/// The FILEs of each `--kernel FILE` of a command line.
std::vector<std::string> kernel_files_of(const std::vector<std::string>& command_line);

}  // namespace runner
