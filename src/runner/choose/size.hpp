// Parses the sizes that a user types.
#pragma once

#include <cstdint>
#include <string>

#include "results/values/problem.hpp"

namespace runner {

/// The largest dimension or leading dimension.
inline constexpr int64_t LARGEST_DIMENSION = (int64_t{1} << 40) - 1;

/// Parses a size: "4096" or "128x160x7168" (M, N, K). Throws Error(ExitCode::usage), which shows the right form.
results::Problem parse_size(const std::string& text);

}  // namespace runner
