// What sgemm_workbench does for a request that runs kernels or labs.
#pragma once

#include "app/error.hpp"
#include "runner/request/workbench_request.hpp"

namespace runner {

/// Runs the labs, prints the results and says how it went. Throws Error where it cannot begin.
ExitCode run(const LabRequest& request);

/// Prints the labs that there are.
ExitCode run(const LabListRequest& request);

/// Measures several times and writes it all to a file. Nothing is written if a result is not right.
ExitCode run(const SaveRequest& request);

/// Prints what became of each row: `wrong`, `regression`, `untrusted` (with strict, if a row is unsure) or `ok`. Throws
/// Error(ExitCode::not_comparable) where the runs cannot be held against each other.
ExitCode run(const CompareRequest& request);

}  // namespace runner
