// What sgemm_workbench does for a request that looks into kernels.
#pragma once

#include "app/error.hpp"
#include "runner/request/workbench_request.hpp"

namespace runner {

/// Runs what is to be shown on the simulated GPU, and prints its source with its counters, the comparison of two, or the
/// picture of a request. Throws Error where there is no such thing.
ExitCode run(const ShowRequest& request);

/// Prints what a device counts of the kernels beside the simulated GPU's counters. `wrong` if a promise is broken there.
ExitCode run(const ProfileRequest& request);

/// Prints what nvcc made of the kernels. `wrong` if loads are narrower than promised.
ExitCode run(const SassRequest& request);

/// Prints what the simulated GPU runs.
ExitCode run(const PtxRequest& request);

}  // namespace runner
