// Rungs 11's and 12's kernels with a variant of the caller's choice. The rungs choose by the shape; the
// tests name one, since a shape that a simulated GPU can compute would only ever get small tiles.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "kernels/ladder.hpp"
#include "kernels/tuned/split_plan.hpp"

namespace ladder {

/// What choose_tile() and plan_split() must know of the current device.
cudaError_t describe_device(Device* device);

/// Launches rung 11's kernel with tuned_table[choice].tile for the whole of C. `vector`: with 16-byte
/// accesses; the problem must satisfy are_b_and_c_vector_aligned(p, 16).
cudaError_t launch_tile(size_t choice, const Sgemm& p, bool vector, int multiprocessors,
                        cudaStream_t stream);

/// Launches rung 12's kernels with stream_k_table[plan.choice].tile, the work divided by the plan.
cudaError_t launch_split(const SplitPlan& plan, const Sgemm& p, bool vector, int multiprocessors,
                         cudaStream_t stream);

}  // namespace ladder
