// The program's allocations, for cudaDeviceReset.
#pragma once

namespace simulator::runtime {

/// Frees all that the program allocated and has not freed.
void free_everything();

}  // namespace simulator::runtime
