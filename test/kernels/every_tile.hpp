// Rungs 11's and 12's kernels with a tile of the test's choice: a shape that a simulated GPU can compute
// gets small tiles from choose_tile and plan_split, and the others would never run.
#pragma once

#include <cuda_runtime.h>

#include "kernels/ladder.hpp"
#include "kernels/split_plan.hpp"

namespace every_tile {

/// Launches rung 11's kernel with tuned_table[choice].tile. `vector`: with 16-byte accesses; the problem
/// must be aligned for them.
cudaError_t launch_tuned(size_t choice, const ladder::Sgemm& problem, bool vector);

/// Launches rung 12's kernels with stream_k_table[plan.choice].tile.
cudaError_t launch_stream_k(const ladder::SplitPlan& plan, const ladder::Sgemm& problem,
                            bool vector);

}  // namespace every_tile
