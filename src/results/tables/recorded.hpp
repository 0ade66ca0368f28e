// Finds recorded figures that may replace missing times.
#pragma once

#include <cstdint>
#include <vector>

#include "results/values/run.hpp"

namespace results {

/// Runs on a real device. Their figures are shown, starred, if nothing was timed.
using Recorded = std::vector<Run>;

/// The size, in each dimension, of a rung's recorded figures. A lab's figures may have any size.
inline constexpr int64_t RECORDED_SIZE = 4096;

/// True if the result can be shown starred: warm and right, with a rung's percentage of cuBLAS or a lab's time.
bool can_stand_in(const Result& result);

/// A recorded result and its run; both nullptr if there is none.
struct RecordedResult {
  const Run* run = nullptr;
  const Result* result = nullptr;
};

/// Returns the recorded result of that kernel.
RecordedResult recorded_result(const Recorded& recorded, const Identity& who);

}  // namespace results
