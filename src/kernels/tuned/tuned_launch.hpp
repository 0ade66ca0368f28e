// Rung 11's kernel with a variant of the caller's choice. The rung chooses by the shape; the tests name one,
// since a shape that a simulated GPU can compute would only ever get small tiles.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "kernels/ladder.hpp"

namespace ladder {

/// Launches rung 11's kernel with TUNED_TABLE[choice].tile for the whole of C. `vector`: with 16-byte
/// accesses; the problem must satisfy are_b_and_c_vector_aligned(p, 16).
cudaError_t launch_tuned_choice(size_t choice, const Sgemm& p, bool vector, int multiprocessors,
                                cudaStream_t stream);

}  // namespace ladder
