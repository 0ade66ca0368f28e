// Turns words of the command line into workloads, for every command that looks at kernels one by one.
#pragma once

#include <string>
#include <vector>

#include "runner/choose/lab_workload.hpp"
#include "runner/choose/workload.hpp"

namespace runner {

/// A rung's M = N = K, unless a size is given.
inline constexpr const char* WORKLOAD_SIZE = "256";

/// The user's words.
struct WorkloadWords {
  std::vector<std::string>
      names{};  // "2", "naive,coalesced", "all", "copy_stride", "copy_stride/8"
  std::vector<std::string> sizes{};  // of the rungs, with commas or one by one
  SizeWords parameters{};            // of the labs
  std::vector<std::string>
      kernel_files{};         // each defines one rung; they come after named workloads
  bool with_repeats = false;  // for a comparison: keep both workloads if one is named twice
};

/// Returns the workloads that the words name, in their order. A lab stands for all its variants that take the size, and
/// `all` for all labs and all rungs with a kernel of ours. Without sizes a rung has WORKLOAD_SIZE and a lab its counted
/// sizes; `all` adds an odd size of each. Throws Error(ExitCode::usage) for other words, and if no workload is left.
std::vector<Workload> select_workloads(const WorkloadWords& words);

/// Throws Error(ExitCode::usage) if a workload is a riddle: `command` ("show") would give it away.
void refuse_riddles(const std::vector<Workload>& workloads, const char* command);

}  // namespace runner
