// How much memory this machine has free.
#pragma once

#include <cstdint>

namespace runner {

/// Returns nine tenths of the free memory, in bytes, so that no other process is killed for lack of it. The largest number if it is unknown.
int64_t most_of_free_memory();

}  // namespace runner
