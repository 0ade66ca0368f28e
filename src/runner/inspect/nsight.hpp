// Calls Nsight Compute and reads its output.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/values/run.hpp"

namespace runner {

/// A metric of Nsight Compute and its count (results/values/counts.hpp). Several metrics may add up to one count.
struct NsightMetric {
  const char* metric;
  const char* count;
  const char* name;  // "load requests": in a table
  /// The reason for a difference from the simulated GPU's count; nullptr if there must be none.
  const char* may_differ;
};

/// Returns THE list of metrics.
std::span<const NsightMetric> nsight_metrics();

/// Nsight Compute's counts.
struct NsightCounts {
  results::Traffic traffic{};          // of the whole launch, without buffers
  std::vector<std::string> missing{};  // metrics of the list without a value
};

/// Returns the command that profiles one call of a program, between its cudaProfilerStart and cudaProfilerStop.
std::vector<std::string> nsight_command(const std::string& ncu,
                                        const std::vector<std::string>& program);

/// Reads the CSV in Nsight Compute's output, after any other lines. The values of several kernels are added. Throws
/// Error(ExitCode::failure) with the error, and with the remedy if the user may not read counters.
NsightCounts read_nsight(std::string_view text, int exit_code);

/// Runs the program under Nsight Compute and reads the output. Ctrl-C ends it with Error(ExitCode::interrupted).
NsightCounts count_with_nsight(const std::string& ncu, const std::vector<std::string>& program);

/// Returns the path of this machine's Nsight Compute. Throws Error(ExitCode::failure) with the places searched.
std::string find_nsight();

}  // namespace runner
