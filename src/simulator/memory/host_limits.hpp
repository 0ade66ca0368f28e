// The host's limits for this process.
#pragma once

#include <string>

#include "simulator/fault.hpp"

namespace simulator {

HostMemory host_memory();

/// Tells a person why the host refuses another thread: no memory for its stack, or too many processes.
std::string describe_lack_of_thread();

}  // namespace simulator
