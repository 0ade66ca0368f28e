// One name for the fastest rung: `best` is no step of the ladder, but picks one for each product.
#pragma once

#include <cuda_runtime.h>

#include "kernels/best/choice.hpp"
#include "kernels/ladder.hpp"

namespace ladder {

/// Launches the rung that choose_rung() expects to be the fastest with FP32's accuracy. It has no number (Rung::NO_NUMBER), and its path
/// begins with the chosen rung's name. Like any rung it has no state, and launches on any stream.
extern const Rung best;

/// Reads the properties of the current device on which the choice depends.
cudaError_t describe_gpu(Gpu* gpu);

/// Returns the rung with the number of a Choice: 12 or 16.
const Rung& rung_with(int number);

}  // namespace ladder
