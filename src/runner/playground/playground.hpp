// What sgemm_workbench does for `playground`.
#pragma once

#include "app/error.hpp"
#include "runner/request/workbench_request.hpp"

namespace runner {

/// Prints the address of the page, or writes the page to a file. Throws Error(ExitCode::usage) where there is no such preset,
/// where the page is not in the tree, or where a file is there already that is not to be replaced.
ExitCode run(const PlaygroundRequest& request);

}  // namespace runner
