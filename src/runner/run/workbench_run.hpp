// Serves the requests of sgemm_workbench that run kernels or labs.
#pragma once

#include "app/error.hpp"
#include "runner/request/workbench_request.hpp"

namespace runner {

/// Runs the labs, prints the results, returns the exit code. Throws Error if it cannot begin.
ExitCode run(const LabRequest& request);

/// Prints the list of labs.
ExitCode run(const LabListRequest& request);

/// Measures several times and writes one file. Writes nothing if a result is wrong.
ExitCode run(const SaveRequest& request);

/// Prints each row's verdict. Returns `wrong`, `regression`, `untrusted` (with strict, if a row is unsure) or `ok`. Throws
/// Error(ExitCode::not_comparable) if the runs cannot be compared.
ExitCode run(const CompareRequest& request);

}  // namespace runner
