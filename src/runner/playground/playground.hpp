// Serves `playground`.
#pragma once

#include "app/error.hpp"
#include "runner/request/workbench_request.hpp"

namespace runner {

/// Prints the address of the page, or writes the page to a file. Throws Error(ExitCode::usage) if there is no such preset,
/// if the page is not in the tree, or if the file exists and shall not be replaced.
ExitCode run(const PlaygroundRequest& request);

}  // namespace runner
