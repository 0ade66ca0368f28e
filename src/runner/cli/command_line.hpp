// Parses the command line of sgemm_runner into a request.
#pragma once

#include "runner/request/run_request.hpp"

namespace runner {

/// Returns the request. Throws Error(ExitCode::usage) with a message for the user.
Request parse_command_line(int argc, const char* const* argv);

}  // namespace runner
