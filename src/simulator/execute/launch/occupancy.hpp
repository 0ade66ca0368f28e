// The number of a kernel's blocks that fit on one multiprocessor.
#pragma once

#include <cstddef>

#include "simulator/execute/launch/module.hpp"

namespace simulator {

/// The resources of a block.
struct BlockNeeds {
  int threads = 0;
  int registers_per_thread = 0;
  size_t shared_bytes = 0;  // static and dynamic
};

/// Returns the least that any of four limits allows: resident blocks, resident warps, registers, shared memory.
/// On compute capability 9.0 a warp's registers come from one of four equal parts of the register file, in units
/// of 256. Shared memory comes in units of 128 bytes, and each block costs 1024 bytes more. The rules are those
/// of NVIDIA's occupancy calculator; tests compare them with an H200's answers.
int resident_blocks(const DeviceLimits& limits, const BlockNeeds& needs);

}  // namespace simulator
