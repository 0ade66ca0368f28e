// The whole product on one GPU, for comparison.
#pragma once

#include <string>
#include <vector>

#include "distributed/run/matrices.hpp"

namespace distributed {

/// The seconds of each repetition.
struct OneGpu {
  std::vector<double> ladder, cublas;  // cublas: empty if the build has none
  std::string refusal;                 // why nothing was measured, if it is not empty
};

/// Computes the whole product on this process's GPU, with the problem's algorithm and with cuBLAS in turns: once to warm up, then
/// `repetitions` times. Measures nothing if the GPU has too little memory.
OneGpu time_one_gpu(const Problem& problem, int repetitions);

}  // namespace distributed
