// Hazards between lanes and between warps: what a device lets happen and CUDA's rules forbid. Plain code, of no
// level. To be called only where hazards are looked for.
#pragma once

#include <cstdint>
#include <optional>

#include "simulator/execute/warp.hpp"

namespace simulator {

/// `lane` reads `source` by a shuffle that `source` does not execute, or that the mask does not let it take part in.
/// What it got is used by the instruction `use`.
void report_absent_lane(const Warp& w, uint32_t instruction, int lane, int source, uint32_t mask,
                        uint32_t use);

/// `lane` executes an instruction with a mask that does not name it.
void report_mask_without_caller(const Warp& w, uint32_t instruction, int lane, uint32_t mask);

/// `lane` names `other`, which executes the same instruction with another mask.
void report_masks_that_differ(const Warp& w, uint32_t instruction, int lane, uint32_t mask,
                              int other, uint32_t other_mask);

/// `lane` goes on without those that its mask names and that will not come. `elsewhere`: where the first of them
/// waits, if it does.
void report_lanes_that_never_come(const Warp& w, uint32_t instruction, int lane, uint32_t mask,
                                  uint32_t absent, std::optional<uint32_t> elsewhere);

/// How one warp comes to a barrier of the block.
struct BarrierUse {
  const Warp& warp;
  uint32_t instruction = 0;
  uint32_t number = 0;
  uint32_t threads = 0;  // that it waits for; 0: all of the block
  bool reduces = false;
};

/// Two warps meet at a barrier: says what is forbidden in how they do, if anything is.
void check_barrier(const BarrierUse& one, const BarrierUse& other);

}  // namespace simulator
