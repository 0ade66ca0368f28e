// A rung's promise as text, and whether it was kept.
#pragma once

#include <optional>
#include <string>

#include "kernels/ladder.hpp"
#include "runner/observation.hpp"

namespace runner {

/// Whether the promise speaks of this problem: whole tiles, dense matrices, something to compute.
bool applies(const ladder::Promise& promise, const ladder::Sgemm& problem);

/// Compares one claim with what was counted. Equality allows for rounding in the counter's division.
ClaimCheck check_claim(const ladder::Claim& claim, std::optional<double> counted);

/// "load sectors per request of A = 32"
std::string text(const ladder::Claim& claim);
/// "load sectors per request of A = 32: counted 4"
std::string text(const ClaimCheck& check);

}  // namespace runner
