// The kernels of a launch on a CUDA device.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <vector>

#include "results/values/run.hpp"

namespace runner {

/// Returns the kernels that `launch` puts on a stream, in order, with the resources that each takes of a
/// multiprocessor. Nothing runs: the launch is captured into a graph, which is read. Empty if it cannot be captured.
std::vector<results::Kernel> launched_kernels(
    const std::function<cudaError_t(cudaStream_t)>& launch);

}  // namespace runner
