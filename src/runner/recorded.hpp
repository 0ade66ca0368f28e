// The run on a real device whose figures stand in for what is not timed here.
#pragma once

#include <optional>
#include <string>

#include "results/run.hpp"

namespace runner {

/// The run in a file; nothing where it was not asked for and is not there. One that cannot be used is an
/// Error(ExitCode::usage) if it was asked for, and otherwise a warning.
std::optional<results::Run> recorded_run(const std::string& file, bool asked_for);

}  // namespace runner
