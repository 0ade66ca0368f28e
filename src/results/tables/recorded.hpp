// Which figures of recorded runs may stand in where nothing was timed.
#pragma once

#include <cstdint>
#include <vector>

#include "results/values/run.hpp"

namespace results {

/// Runs on a real device: where nothing was timed their figures stand in, starred.
using Recorded = std::vector<Run>;

/// A rung's figures stand in at this size for each dimension, a lab's at any.
inline constexpr int64_t RECORDED_SIZE = 4096;

/// Whether it has figures that can stand in: warm, right, a rung's per cent of cuBLAS or a lab's time.
bool can_stand_in(const Result& result);

/// A recorded result, and the run that it is of; nullptr both where there is none.
struct RecordedResult {
  const Run* run = nullptr;
  const Result* result = nullptr;
};

/// What stands in for that kernel.
RecordedResult recorded_result(const Recorded& recorded, const Identity& who);

}  // namespace results
