// The memory that a device has for a problem.
#pragma once

#include <string>

#include "runner/machine/machine.hpp"

namespace runner {

/// Throws Error(ExitCode::usage) if `what` needs more memory than the device has.
void refuse_what_cannot_fit(const std::string& what, double bytes_needed,
                            const machine::Device& device);

/// Returns "the simulated GPU" or "NVIDIA H200".
std::string the_device(const machine::Device& device);

}  // namespace runner
