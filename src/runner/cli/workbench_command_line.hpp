// Parses the command line of sgemm_workbench into a request.
#pragma once

#include "runner/request/workbench_request.hpp"

namespace runner {

/// Returns the request. Throws Error(ExitCode::usage) with a message for the user.
WorkbenchRequest parse_workbench_command_line(int argc, const char* const* argv);

}  // namespace runner
