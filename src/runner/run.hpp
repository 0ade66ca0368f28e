// What the program does for a request.
#pragma once

#include "runner/command_line.hpp"
#include "runner/error.hpp"

namespace runner {

/// Runs the kernels, prints the results and says how it went. Throws Error where it cannot begin.
ExitCode run(const RunRequest& request);

/// Runs the labs, prints the results and says how it went. Throws Error where it cannot begin.
ExitCode run(const LabRequest& request);

/// Prints the labs that there are.
ExitCode run(const LabListRequest& request);

/// Prints the kernels that there are.
ExitCode run(const ListRequest& request);

/// Prints the results that a file holds. What is wrong in them is shown, and is no failure of today.
ExitCode run(const TableRequest& request);

/// Runs what is to be shown on the simulated GPU, and prints its source with its counters, the comparison of two, or the
/// picture of a request. Throws Error where there is no such thing.
ExitCode run(const ShowRequest& request);
/// Prints what a device counts of the kernels beside the simulated GPU's counters. `wrong` if a promise is broken there.
ExitCode run(const ProfileRequest& request);

/// Prints what nvcc made of the kernels. `wrong` if loads are narrower than promised.
ExitCode run(const SassRequest& request);

/// Prints what the simulated GPU runs.
ExitCode run(const PtxRequest& request);

/// Prints the text.
ExitCode run(const ShowText& request);

}  // namespace runner
