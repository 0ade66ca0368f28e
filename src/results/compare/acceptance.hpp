// Judges the GPUs of a cluster: each against the others. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/values/acceptance.hpp"
#include "results/values/run.hpp"

namespace results {

/// What came of measuring one GPU.
struct GpuRun {
  int rank = 0;
  std::string host{}, gpu{};
  std::optional<Run> run{};            // unknown if it failed, or if a result was wrong
  bool is_wrong = false;               // there is no run because a result was wrong
  std::vector<std::string> reasons{};  // why there is no run
};

/// Gives each GPU its verdict. A row is compared with the same row of the median GPU: of the n right GPUs, the one at place (n - 1) / 2 when
/// their median times ascend. So of two GPUs the faster one is the measure. A counted row is compared with the row that most others equal.
///
/// A GPU is
///   WRONG      if a result is wrong;
///   FAILED     if it has no run, or a run without results;
///   OTHER      if its model, driver, CUDA or cuBLAS is not that of most: it is not compared. An unknown version counts as the same;
///   THROTTLED  if it reports a slowdown of slowdowns::FAULTS;
///   SLOWER     if a row is SLOWER by compare's rules on the kernel's own times: by LEAST_CHANGE at least;
///   CHANGED    if a row is CHANGED: other counts, another path, other launches;
///   UNSURE     if a row is UNSURE, lacks, or has nothing to be compared with;
///   OK         otherwise, also if it is faster.
/// If several hold, the first of this list is the verdict, and all of them are among the reasons.
std::vector<JudgedGpu> judge(const std::vector<GpuRun>& runs);

}  // namespace results
