// Serves the requests of sgemm_workbench that look into kernels.
#pragma once

#include "app/error.hpp"
#include "runner/request/workbench_request.hpp"

namespace runner {

/// Runs kernels on the simulated GPU and prints one kernel's source with its counters, a comparison of two, or the picture of a
/// request. Throws Error if the line or request does not exist.
ExitCode run(const ShowRequest& request);

/// Prints a device's counters of the kernels beside the simulated GPU's. Returns `wrong` if the device's counters break
/// a promise.
ExitCode run(const ProfileRequest& request);

/// Prints figures of nvcc's machine code. Returns `wrong` if loads are narrower than promised.
ExitCode run(const SassRequest& request);

/// Prints the simulated GPU's code.
ExitCode run(const PtxRequest& request);

}  // namespace runner
