// Which kernels a launch consists of on a CUDA device.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <vector>

#include "results/values/run.hpp"

namespace runner {

/// The kernels that `launch` puts on a stream, in order, with what each takes of a multiprocessor. Nothing is run:
/// the launch is captured into a graph and read off it. Empty where that cannot be done.
std::vector<results::Kernel> launched_kernels(
    const std::function<cudaError_t(cudaStream_t)>& launch);

}  // namespace runner
