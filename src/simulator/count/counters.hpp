// What the simulator counts, in the terms of Nsight Compute.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/count/access.hpp"
#include "simulator/count/access_counts.hpp"
#include "simulator/fault.hpp"

namespace simulator {

/// One row for each (kernel, source line, instruction, buffer): two buffers read on one line are two rows.
struct AccessCounters : AccessCounts {
  std::string kernel;       // demangled, without its parameter list
  SourceLine where;         // the user's line
  std::string instruction;  // "ld.global.f32"
  Access access{};
  std::string buffer;  // "A" where named, "buffer 3" where not, "shared" or "local"
  uint32_t bytes_per_lane = 0;

  bool operator==(const AccessCounters&) const = default;
};

/// How many warp instructions of each kind ran, and how many lanes were active in them.
struct InstructionCount {
  std::string kind;  // "ffma", "load", "store", "integer", "control", ...
  uint64_t warps = 0;
  uint64_t lanes = 0;
  bool operator==(const InstructionCount&) const = default;
};

/// What a launch, everything since reset_counters(), or a whole program was counted to do.
struct Counters {
  std::vector<AccessCounters> accesses;        // sorted by kernel, file, line, instruction, buffer
  std::vector<InstructionCount> instructions;  // sorted by kind
  uint64_t warp_instructions = 0;
  uint64_t lane_instructions = 0;
  uint64_t ffma = 0;          // per lane: fused multiply-adds in FP32
  uint64_t flops = 0;         // per lane: FP32 operations, two for a fused multiply-add
  uint64_t barriers = 0;      // warps that passed a block-wide barrier
  uint64_t async_copies = 0;  // per lane: cp.async that landed
  uint64_t async_copies_during_loads =
      0;  // of those, with a load from shared memory by the warp in between
  uint64_t launches = 0;
  uint64_t blocks = 0;
  double seconds = 0;  // wall time spent interpreting
};

/// How a kernel was launched, and what it takes of a multiprocessor.
struct KernelUse {
  std::string kernel;  // demangled, without its parameter list
  Dim3 grid, block;
  int registers_per_thread = 0;
  size_t shared_bytes = 0;            // of a block, static and dynamic
  size_t dynamic_shared_bytes = 0;    // of those, what the launch asked for
  int blocks_per_multiprocessor = 0;  // that registers, shared memory and threads leave room for
  bool operator==(const KernelUse&) const = default;
};

/// Launches of one kernel that were alike: in their shape and in every counter.
struct LaunchCounters : KernelUse {
  uint64_t first = 0;  // the earliest of them was the program's first, second, ... launch to end
  uint64_t times = 0;  // how many they are
  Counters counters;   // of one of them; the time is the first's
};

}  // namespace simulator
