// What watches an execution: a type with these functions, which the executing code calls. They are chosen when
// it is compiled, so one that does nothing costs nothing.
#pragma once

#include <bit>
#include <cstdint>

#include "simulator/execute/worker.hpp"

namespace simulator {

/// Counts what Nsight Compute would count.
struct Counting {
  /// A warp executes the basic block with these lanes.
  static void enter(Worker& worker, uint32_t block, uint32_t lanes) {
    worker.block_warps[block] += 1;
    worker.block_lanes[block] += static_cast<uint64_t>(std::popcount(lanes));
  }
  /// A guard keeps these lanes from an instruction of the block.
  static void skip(Worker& worker, uint32_t instruction, uint32_t lanes) {
    worker.guarded_lanes[instruction] += static_cast<uint64_t>(std::popcount(lanes));
  }
  /// A warp's access, known to be within bounds, before it happens.
  static void access(Worker& worker, uint32_t site, const Pattern& pattern) {
    worker.count(site, pattern);
  }
  /// Where hazards are looked for: a lane's cp.async has read its source, and will write to shared memory later.
  static void copy_begins(const Warp& /*warp*/, uint32_t /*instruction*/, int /*lane*/,
                          uint64_t /*shared_offset*/, uint32_t /*bytes*/,
                          uint64_t /*source_address*/, uint32_t /*source_bytes*/) {}
  /// Where hazards are looked for: the bytes of that cp.async are about to be written.
  static void copy_lands(const Warp& /*warp*/, uint32_t /*instruction*/, int /*lane*/,
                         uint64_t /*shared_offset*/, uint32_t /*bytes*/) {}
  /// A warp passes a barrier of its block.
  static void barrier(Worker& worker) { worker.barriers += 1; }
};

/// What the executing code is compiled with.
using Watch = Counting;

}  // namespace simulator
