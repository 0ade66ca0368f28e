// The program's allocations, for cudaDeviceReset and for the program's end.
#pragma once

namespace simulator::runtime {

/// Frees all that the program allocated and has not freed.
void free_everything();

/// What the program has not freed becomes a hazard, with the lines that allocated it.
void tell_memory_never_freed();

}  // namespace simulator::runtime
