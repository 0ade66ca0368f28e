// A block's registers, which setmaxnreg moves between its warps.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simulator/decode/program.hpp"
#include "simulator/execute/state/launch_shape.hpp"

namespace simulator {

/// A warp's share is counted by its number of registers a thread. A share changes by setmaxnreg alone: a warp that exits keeps it
/// until the block ends, as on an H100.
struct RegisterPool {
  uint32_t at_launch = 0;  // the share of each warp; 0: unknown, so each warp gets what it asks for
  uint32_t spare = 0;      // given back and not yet taken, the sum over the warps
};

/// Returns the registers that each thread has at the launch of a kernel with setmaxnreg: as many as the kernel's bounds allow.
/// Returns 0 if they set no number (__launch_bounds__ without its second argument): nvcc then drops setmaxnreg.
inline uint32_t registers_at_launch(const Program& program) {
  constexpr uint32_t UNIT = 8, MOST = 256;
  if (program.max_registers != 0)
    return std::min((program.max_registers + UNIT - 1) / UNIT * UNIT, MOST);
  const auto threads = static_cast<uint64_t>(program.max_threads) * program.min_blocks;
  if (threads == 0) return 0;
  const uint64_t share =
      static_cast<uint64_t>(device_limits().registers_per_multiprocessor) / threads;
  return std::min(static_cast<uint32_t>(share / UNIT * UNIT), MOST);
}

}  // namespace simulator
