// The ladder as Google Benchmark's benchmarks, each a rung on a problem, measured as the runner measures it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/error.hpp"
#include "kernels/ladder.hpp"

namespace bench {

/// Serves a command line of `sgemm_bench` for these rungs, and returns the runner's exit code: `wrong` for a wrong result or a
/// broken promise. Throws runner::Error if it cannot begin. Call it once in a process, because the library's state is
/// global.
runner::ExitCode run(const std::vector<std::string>& line,
                     std::span<const ladder::Rung* const> rungs);

}  // namespace bench
