// What this process may have of its host, in words for a person who ran out of it.
#pragma once

#include <string>

namespace simulator {

/// "this process has 39 MiB of the 40 MiB that it may have (ulimit -v)", or how much memory it has where no limit of
/// its own is in the way.
std::string describe_host_memory();

/// Why the host refuses a further thread: memory for its stack, or the number of processes.
std::string describe_lack_of_thread();

}  // namespace simulator
