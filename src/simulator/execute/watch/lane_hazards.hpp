// Hazards between lanes and between warps: what a device lets happen and CUDA's rules forbid. Plain code, of no
// level. To be called only where hazards are looked for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "simulator/execute/state/warp.hpp"
#include "simulator/hazards/hazard.hpp"

namespace simulator {

/// Adds a hazard of one lane, at one instruction or between two. describe(message) completes the message, whose `where`
/// has the line and the thread already; it is called only where it will be told.
void report_hazard(const Warp& w, HazardKind kind, uint32_t instruction, uint32_t other, int lane,
                   uint64_t address, const std::function<void(Message&)>& describe);

/// Why a lane takes no part in a shuffle.
enum class Absence {
  no_thread,  // the block has fewer threads
  exited,     // before it, though the mask names the lane
  elsewhere,  // the mask does not name it, and it does not come
  not_named,  // by the mask, though it executes the shuffle too
};

/// A lane's read of another by a shuffle.
struct AbsentRead {
  uint32_t instruction = 0;
  int lane = 0, source = 0;
  uint32_t mask = 0;
  Absence absence{};
};

/// What it got is used by the instruction `use`.
void report_absent_lane(const Warp& w, const AbsentRead& read, uint32_t use);

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
