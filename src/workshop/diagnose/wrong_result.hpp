// Diagnoses a wrong result on small whole numbers, which can be compared with known mistakes.
#pragma once

#include "kernels/ladder.hpp"
#include "results/values/problem.hpp"
#include "runner/verify/verifier.hpp"
#include "text/page.hpp"
#include "workshop/diagnose/diagnosis.hpp"

namespace workshop {

/// Runs the rung again on the verifier's whole numbers, waits for it, and diagnoses the result. Finds nothing if the
/// run ends with an error or is right. Throws runner::Error if a copy from the device fails.
Diagnosis diagnose(const ladder::Rung& rung, const results::Problem& problem,
                   runner::Verifier& verifier, const BlockTile& tile, const text::Page& page);

}  // namespace workshop
