// What the program does for a request.
#pragma once

#include "runner/command_line.hpp"
#include "runner/error.hpp"

namespace runner {

/// Runs the kernels, prints the results and says how it went. Throws Error where it cannot begin.
ExitCode run(const RunRequest& request);

/// Prints the kernels that there are.
ExitCode run(const ListRequest& request);

/// Prints the results that a file holds. What is wrong in them is shown, and is no failure of today.
ExitCode run(const TableRequest& request);

/// Prints what a device counts of the kernels beside the simulated GPU's counters. `wrong` if a promise is broken there.
ExitCode run(const ProfileRequest& request);

/// Prints what nvcc made of the kernels. `wrong` if loads are narrower than promised.
ExitCode run(const SassRequest& request);

/// Prints what the simulated GPU runs.
ExitCode run(const PtxRequest& request);

/// Prints the text.
ExitCode run(const ShowText& request);

}  // namespace runner
