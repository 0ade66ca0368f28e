// What `best` would choose on a GPU that need not be there.
#pragma once

#include <span>
#include <string>

#include "results/values/problem.hpp"

namespace runner {

/// Returns a table: for each problem the rung that `best` chooses on the GPU, the time that it expects, and the others. Throws
/// Error(ExitCode::usage) for a GPU that nobody measured.
std::string expectations(std::span<const results::Problem> problems, const std::string& gpu,
                         int width);

}  // namespace runner
