// The sizes that a user types.
#pragma once

#include <cstdint>
#include <string>

#include "results/values/problem.hpp"

namespace runner {

/// A dimension or a leading dimension is at most this.
inline constexpr int64_t LARGEST_DIMENSION = (int64_t{1} << 40) - 1;

/// A size: "4096" or "128x160x7168" (M, N, K). Throws Error(ExitCode::usage) that says what would be right.
results::Problem parse_size(const std::string& text);

}  // namespace runner
