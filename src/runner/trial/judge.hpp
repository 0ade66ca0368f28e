// The one judge: compares what a machine saw with what the kernel promised and what the verifier found.
#pragma once

#include <vector>

#include "promise/promise.hpp"
#include "results/values/run.hpp"

namespace runner {

/// The figure that a claim speaks of, as it was counted; nothing where it was not.
std::optional<double> counted(const results::Result& result, const device::Claim& claim);

/// Compares one claim with what was counted. Equality allows for rounding in the counter's division.
results::CheckedClaim check_claim(const device::Claim& claim, std::optional<double> counted);

/// Holds the claims, those that speak of the result's sizes, against what was counted, and looks for doubts about its time.
/// Adds both to the result's judgement.
void judge(const std::vector<device::Claim>& claims, results::Result& result);

}  // namespace runner
