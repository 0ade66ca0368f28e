// Serves the requests of sgemm_runner.
#pragma once

#include "app/error.hpp"
#include "runner/request/run_request.hpp"

namespace runner {

/// Runs the kernels, prints the results, returns the exit code. Throws Error if it cannot begin.
ExitCode run(const RunRequest& request);

/// Prints the list of kernels.
ExitCode run(const ListRequest& request);

/// Prints the results of a file. Errors in them are shown and do not change the exit code.
ExitCode run(const TableRequest& request);

/// Prints the text.
ExitCode run(const ShowText& request);

}  // namespace runner
