// A wrong result, looked into: what the kernel makes of small whole numbers, which can be held against known mistakes.
#pragma once

#include "kernels/ladder.hpp"
#include "results/values/problem.hpp"
#include "runner/verify/verifier.hpp"
#include "text/page.hpp"
#include "workshop/diagnose/diagnosis.hpp"

namespace workshop {

/// Runs the rung once more, on the verifier's whole numbers, and diagnoses what it leaves. Nothing is found where the run ends
/// with an error or is right. Waits. Throws runner::Error if a copy from the device fails.
Diagnosis diagnose(const ladder::Rung& rung, const results::Problem& problem,
                   runner::Verifier& verifier, const BlockTile& tile, const text::Page& page);

}  // namespace workshop
