// Measures this process's GPU with sgemm_runner.
#pragma once

#include <string>
#include <vector>

namespace distributed {

/// What came of `sgemm_runner save`.
struct OwnRun {
  enum class End {
    saved,
    wrong,    // a result was wrong, so nothing was saved
    failed,   // it ended early, or its file cannot be read
    refused,  // its arguments were bad, or it could not be started
  };
  End end = End::failed;
  std::string text{};  // the run as JSON if it was saved; otherwise the reasons, a line each
};

/// Returns how CUDA_VISIBLE_DEVICES names the GPU at a place, from 0: the word at this place if the variable has a list, else the number.
std::string gpu_at(int place);

/// Runs `runner save FILE words...` with this GPU alone. Its failures are in the result. Throws runner::Error(ExitCode::interrupted) if
/// the user interrupts it.
OwnRun measure_gpu(const std::string& gpu, const std::string& runner,
                   const std::vector<std::string>& words);

}  // namespace distributed
