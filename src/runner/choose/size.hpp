// Parses the sizes that a user types.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/values/problem.hpp"

namespace runner {

/// The largest dimension or leading dimension.
inline constexpr int64_t LARGEST_DIMENSION = (int64_t{1} << 40) - 1;

/// Parses a size: "4096" or "128x160x7168" (M, N, K). Throws Error(ExitCode::usage), which shows the right form.
results::Problem parse_size(const std::string& text);

/// Returns the options of `sgemm_runner`, besides --size, that request this product: {"--lda", "43", "--beta", "1.5"}.
std::vector<std::string> options_of(const results::Problem& problem);

}  // namespace runner
