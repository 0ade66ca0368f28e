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

/// Prints the text.
ExitCode run(const ShowText& request);

}  // namespace runner
