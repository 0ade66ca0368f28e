// The one judge: compares a machine's observations with the kernel's promise and the verifier's findings.
#pragma once

#include <vector>

#include "promise/promise.hpp"
#include "results/values/run.hpp"

namespace runner {

/// Returns the counted figure of a claim; nothing if it was not counted.
std::optional<double> counted(const results::Result& result, const device::Claim& claim);

/// Compares one claim with its counted figure. Equality allows for rounding in the counter's division.
results::CheckedClaim check_claim(const device::Claim& claim, std::optional<double> counted);

/// Checks the claims that cover the result's sizes, and looks for doubts about its time. Adds both to the result's judgement.
void judge(const std::vector<device::Claim>& claims, results::Result& result);

}  // namespace runner
