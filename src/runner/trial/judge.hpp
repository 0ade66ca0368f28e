// The one judge: compares what a machine saw with what the kernel promised and what the verifier found.
#pragma once

#include <vector>

#include "device/promise.hpp"
#include "results/run.hpp"
#include "runner/verify/verifier.hpp"

namespace runner {

/// The figure that a claim speaks of, as it was counted; nothing where it was not.
std::optional<double> counted(const results::Result& result, const device::Claim& claim);

/// Compares one claim with what was counted. Equality allows for rounding in the counter's division.
results::CheckedClaim check_claim(const device::Claim& claim, std::optional<double> counted);

/// The judgement of a result whose identity, problem and observation are known.
results::Judgement judge(const results::Result& result, const Verdict& verdict,
                         const device::Promise& promise);

/// The same of a lab's variant: adds to what its words showed. `claims` are empty where none speaks of the sizes.
void judge(const results::Result& result, const std::vector<device::Claim>& claims,
           results::Judgement& judgement);

}  // namespace runner
