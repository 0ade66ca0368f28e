// The simulator's counters, in the terms of Nsight Compute.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/count/access.hpp"
#include "simulator/count/access_counts.hpp"
#include "simulator/fault.hpp"

namespace simulator {

/// One row for each (kernel, source line, instruction, buffer). Two buffers read on one line are two rows.
struct AccessCounters : AccessCounts {
  std::string kernel;       // demangled, without its parameter list
  SourceLine where;         // the user's line
  std::string instruction;  // "ld.global.f32"
  Access access{};
  std::string buffer;  // the name "A", or "buffer 3" without a name, or "shared", "local"
  uint32_t bytes_per_lane = 0;

  bool operator==(const AccessCounters&) const = default;
};

/// The products on tensor cores of one (kernel, source line, instruction).
struct TensorCounters {
  std::string kernel;       // demangled, without its parameter list
  SourceLine where;         // the user's line
  std::string instruction;  // "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
  std::string format, sum;  // of the factors, and of the sums: "f16", "f32"
  int m = 0, n = 0, k = 0;  // of one product
  uint64_t warps = 0;       // warp instructions
  uint64_t flops = 0;       // 2 M N K for each

  bool operator==(const TensorCounters&) const = default;
};

/// The number of warp instructions of one kind, and of active lanes in them.
struct InstructionCount {
  std::string kind;  // "ffma", "load", "store", "integer", "control", ...
  uint64_t warps = 0;
  uint64_t lanes = 0;
  bool operator==(const InstructionCount&) const = default;
};

/// The counts of a launch, of everything since reset_counters(), or of a whole program.
struct Counters {
  std::vector<AccessCounters> accesses;        // sorted by kernel, file, line, instruction, buffer
  std::vector<TensorCounters> tensor;          // sorted by kernel, file, line, instruction
  std::vector<InstructionCount> instructions;  // sorted by kind
  uint64_t warp_instructions = 0;
  uint64_t lane_instructions = 0;
  uint64_t ffma = 0;                       // per lane: fused multiply-adds in FP32
  uint64_t flops = 0;                      // per lane: FP32 operations; a fused multiply-add is two
  uint64_t tensor_flops = 0;               // of the products on tensor cores
  uint64_t barriers = 0;                   // warps that passed a block-wide barrier
  uint64_t async_copies = 0;               // per lane: cp.async copies that landed
  uint64_t async_copies_during_loads = 0;  // with a shared load of the warp in between
  uint64_t launches = 0;
  uint64_t repeats = 0;  // of the launches: those that took the results of an earlier one
  uint64_t blocks = 0;
  double seconds = 0;  // wall time of interpreting, or of taking the results
};

/// The shape of a kernel's launches, and its use of a multiprocessor.
struct KernelUse {
  std::string kernel;  // demangled, without its parameter list
  Dim3 grid, block;
  int registers_per_thread = 0;
  size_t shared_bytes = 0;            // per block, static and dynamic
  size_t dynamic_shared_bytes = 0;    // per block, requested by the launch
  int blocks_per_multiprocessor = 0;  // as registers, shared memory and threads allow
  bool operator==(const KernelUse&) const = default;
};

/// Launches of one kernel with the same shape and the same counters.
struct LaunchCounters : KernelUse {
  // Ordinal of the earliest launch, from 1, by the order in which launches end.
  uint64_t first = 0;
  uint64_t times = 0;  // number of these launches
  Counters counters;   // of one launch; the first launch gives the time
};

}  // namespace simulator
