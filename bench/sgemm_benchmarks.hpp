// The ladder as Google Benchmark's benchmarks, each a rung on a problem, measured as the runner measures it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/error.hpp"
#include "kernels/ladder.hpp"

namespace bench {

/// Does what a command line of `sgemm_bench` asks for, of these rungs, and says how it went, as the runner does: `wrong` where
/// a result is, or a promise broken. Throws runner::Error where it cannot begin. Once in a process: the library's
/// state is global.
runner::ExitCode run(const std::vector<std::string>& line,
                     std::span<const ladder::Rung* const> rungs);

}  // namespace bench
