// Hazards between lanes and between warps: a device permits them, and CUDA's rules forbid them. Plain code, not
// compiled per level. Call these functions only if hazards are looked for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "simulator/execute/state/warp.hpp"
#include "simulator/hazards/hazard.hpp"

namespace simulator {

/// Adds a hazard of one lane, at one instruction or between two. describe(message) completes the message; its
/// `where` already has the line and the thread. describe is called only if the message will be shown.
void report_hazard(const Warp& w, HazardKind kind, uint32_t instruction, uint32_t other, int lane,
                   uint64_t address, const std::function<void(Message&)>& describe);

/// The reason why a lane takes no part in a shuffle.
enum class Absence {
  no_thread,  // the block has fewer threads
  exited,     // the lane exited before it, though the mask names the lane
  elsewhere,  // the mask does not name the lane, and the lane does not execute the shuffle
  not_named,  // the mask does not name the lane, though the lane executes the shuffle
};

/// A lane's read of another lane by a shuffle.
struct AbsentRead {
  uint32_t instruction = 0;
  int lane = 0, source = 0;
  uint32_t mask = 0;
  Absence absence{};
};

/// Reports that the instruction `use` uses the value of this read.
void report_absent_lane(const Warp& w, const AbsentRead& read, uint32_t use);

/// Reports that `lane` executes an instruction with a mask that does not name it.
void report_mask_without_caller(const Warp& w, uint32_t instruction, int lane, uint32_t mask);

/// Reports that `lane` names `other`, which executes the same instruction with another mask.
void report_masks_that_differ(const Warp& w, uint32_t instruction, int lane, uint32_t mask,
                              int other, uint32_t other_mask);

/// Reports that `lane` goes on without lanes that its mask names and that will not come. `elsewhere`: the
/// instruction where the first of them waits, if it does.
void report_lanes_that_never_come(const Warp& w, uint32_t instruction, int lane, uint32_t mask,
                                  uint32_t absent, std::optional<uint32_t> elsewhere);

/// One warp's arrival at a barrier of the block.
struct BarrierUse {
  const Warp& warp;
  uint32_t instruction = 0;
  uint32_t number = 0;
  uint32_t threads = 0;  // threads that it waits for; 0: all of the block
  bool reduces = false;
};

/// Reports lanes that wait at the cluster's barrier without having arrived.
void check_cluster_wait(const Warp& w, uint32_t instruction, uint32_t lanes);
/// Reports lanes that arrive at the cluster's barrier again, without a wait since they arrived.
void check_cluster_arrival(const Warp& w, uint32_t instruction, uint32_t lanes);

/// Reports a forbidden difference between two warps that meet at a barrier, if there is one.
void check_barrier(const BarrierUse& one, const BarrierUse& other);

}  // namespace simulator
