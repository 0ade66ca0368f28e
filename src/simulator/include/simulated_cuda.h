// What a program may ask the simulated GPU beyond CUDA's API: what its kernels did, and which mistakes were found in it. Tests use it to
// check that a kernel has no bank conflict or no race. nvcc does not have this header, so a program for both asks for it:
//
//   #if __has_include(<simulated_cuda.h>)
//   #include <simulated_cuda.h>
//   #endif
//
// The functions are about the current device. They wait until its work is done.
#pragma once
#pragma GCC system_header

#include <cstdint>
#include <string>
#include <vector>

namespace simulated_cuda {

/// Returns the simulated GPU's version, as in "1.0.0".
const char* version();

/// What kernels did, in the terms of Nsight Compute. Every block is counted.
struct Counts {
  std::uint64_t launches = 0, blocks = 0;
  std::uint64_t warp_instructions = 0, lane_instructions = 0;  // a warp's instruction, and the active lanes in it
  std::uint64_t flops = 0;         // FP32 operations of lanes; a fused multiply-add is two
  std::uint64_t tensor_flops = 0;  // of products on tensor cores
  std::uint64_t barriers = 0;      // warps that passed a block's barrier

  // Global memory. A request is a warp's instruction, a sector 32 bytes.
  std::uint64_t global_load_requests = 0, global_load_sectors = 0;
  std::uint64_t global_store_requests = 0, global_store_sectors = 0;
  std::uint64_t global_atomic_requests = 0, global_atomic_sectors = 0;
  std::uint64_t global_bytes_fetched = 0;  // 32 for each sector
  std::uint64_t global_bytes_used = 0;     // of them, bytes that a lane asked for

  // Shared memory. A wavefront is one pass over its 32 banks; conflicts are the wavefronts beyond the fewest possible.
  std::uint64_t shared_wavefronts = 0, shared_bank_conflicts = 0;

  std::uint64_t local_bytes = 0;  // of variables that found no register
};

/// Returns what the launches since reset_counts() did; without it, all launches.
Counts counts();
void reset_counts();

/// A defect that may give a right result today and a wrong one tomorrow, such as a race.
struct Hazard {
  std::string kind;     // "race", "unwritten read", ...: see docs/hazards.md
  std::string kernel;   // empty if only host code is concerned
  std::string message;  // what is wrong, where, and what to try, in lines
  std::uint64_t times = 0;
};

/// Returns the hazards found since the last call, in the order in which they were found. They count as handled: a program
/// that ends after it does not end with an error because of them.
std::vector<Hazard> take_hazards();

}  // namespace simulated_cuda
