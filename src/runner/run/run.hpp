// What sgemm_runner does for a request.
#pragma once

#include "app/error.hpp"
#include "runner/request/run_request.hpp"

namespace runner {

/// Runs the kernels, prints the results and says how it went. Throws Error where it cannot begin.
ExitCode run(const RunRequest& request);

/// Prints the kernels that there are.
ExitCode run(const ListRequest& request);

/// Prints the results that a file holds. What is wrong in them is shown, and is no failure of today.
ExitCode run(const TableRequest& request);

/// Prints the text.
ExitCode run(const ShowText& request);

}  // namespace runner
