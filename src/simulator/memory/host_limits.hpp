// What this process may have of its host.
#pragma once

#include <string>

#include "simulator/fault.hpp"

namespace simulator {

HostMemory host_memory();

/// In words for a person: why the host refuses a further thread: memory for its stack, or the number of processes.
std::string describe_lack_of_thread();

}  // namespace simulator
