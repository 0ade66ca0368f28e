// Rung 12's kernels with a plan of the caller's choice: the counterpart of tuned_launch.hpp.
#pragma once

#include <cuda_runtime.h>

#include "kernels/ladder.hpp"
#include "kernels/tuned/split_plan.hpp"

namespace ladder {

/// Launches rung 12's kernels with STREAM_K_TABLE[plan.choice].tile, the work divided by the plan. `vector`:
/// with 16-byte accesses; the problem must satisfy are_b_and_c_vector_aligned(p, 16).
cudaError_t launch_stream_k_choice(const SplitPlan& plan, const Sgemm& p, bool vector,
                                   int multiprocessors, cudaStream_t stream);

}  // namespace ladder
