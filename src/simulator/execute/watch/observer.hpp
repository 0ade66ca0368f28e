// Observers of an execution: types with these functions, which the executing code calls. The observer is chosen
// at compile time, so an observer that does nothing costs nothing.
#pragma once

#include <bit>
#include <cstdint>

#include "simulator/execute/state/warp.hpp"
#include "simulator/execute/state/worker.hpp"
#include "simulator/execute/watch/array_bounds.hpp"
#include "simulator/hazards/block_hazards.hpp"

namespace simulator {

/// Counts the same events as Nsight Compute.
struct Counting {
  /// Counts a warp's execution of the basic block with these lanes.
  static void enter(Worker& worker, uint32_t block, uint32_t lanes) {
    worker.block_warps[block] += 1;
    worker.block_lanes[block] += static_cast<uint64_t>(std::popcount(lanes));
  }
  /// Counts lanes that a guard keeps from an instruction of the block.
  static void skip(Worker& worker, uint32_t instruction, uint32_t lanes) {
    worker.guarded_lanes[instruction] += static_cast<uint64_t>(std::popcount(lanes));
  }
  /// Counts a warp's access before it happens. The access is within bounds.
  static void access(Worker& worker, uint32_t site, const Pattern& pattern) {
    worker.count(site, pattern);
  }
  /// Passes the access to the search for hazards. `values`: a store's values, the lanes' bytes one after the
  /// other.
  static void touch(const Warp& warp, uint32_t site, const Pattern& pattern, uint64_t first,
                    const std::byte* values) {
    const SiteInfo& info = warp.block->worker->program.sites[site];
    warp.block->hazards->access({info.instruction, info.access, info.bytes, pattern.active,
                                 warp.number, first, pattern.distance, pattern.lowest,
                                 pattern.highest, pattern.shape, values});
    if (is_shared(info.access)) stay_within(warp, site, pattern, first);
  }
  /// Checks that an access to the block's shared memory is within the array that it is meant for.
  static void stay_within(const Warp& warp, uint32_t site, const Pattern& pattern, uint64_t first) {
    check_array(warp, site, pattern, first);
  }
  /// True if touch() and the functions below must be called.
  static bool looks_for_hazards(const Warp& warp) { return warp.block->hazards != nullptr; }
  /// Records that the active lanes reconverged with the lanes that each one's mask names.
  static void meet(const Warp& warp, const uint32_t* masks) {
    uint32_t rest = warp.active;
    while (rest != 0) {
      const uint32_t mask = masks[std::countr_zero(rest)] & warp.live;
      warp.block->hazards->order.meet(warp.number, mask, warp.live);
      rest &= rest - 1;
      rest &= ~mask;
    }
  }
  /// Records that the active lanes passed a fence.
  static void fence(const Warp& warp, uint32_t instruction) {
    const Facts& facts = warp.block->worker->program.sources[instruction].facts;
    if (facts.operation != Operation::fence_async)
      warp.block->hazards->order.fence(warp.number, warp.active, facts.scope != Scope::block);
    if (facts.operation != Operation::fence)
      warp.block->hazards->proxy_fence(warp.number, warp.active,
                                       facts.operation == Operation::fence_mbarriers);
  }
  /// Records that a lane's cp.async read its source and will write to shared memory later.
  static void copy_begins(const Warp& warp, uint32_t instruction, int lane, uint64_t shared_offset,
                          uint32_t bytes, uint64_t source_address, uint32_t source_bytes) {
    warp.block->hazards->copy_begins({instruction, warp.first_thread + static_cast<uint32_t>(lane),
                                      shared_offset, bytes, source_address, source_bytes});
  }
  /// Records that the bytes of a cp.async are about to be written.
  static void copy_lands(const Warp& warp, uint32_t instruction, int lane, uint64_t shared_offset,
                         uint32_t bytes) {
    warp.block->hazards->copy_lands(instruction, warp.first_thread + static_cast<uint32_t>(lane),
                                    shared_offset, bytes);
  }
  /// Counts the copies whose bytes were written.
  static void copies_landed(const Warp& warp, const PendingCopy& copy, uint32_t lanes) {
    const auto count = static_cast<uint64_t>(std::popcount(lanes));
    warp.block->worker->async_copies += count;
    if (warp.shared_loads != copy.shared_loads)
      warp.block->worker->async_copies_during_loads += count;
  }
  /// Counts a warp that passes a barrier of its block.
  static void barrier(Worker& worker) { worker.barriers += 1; }
};

/// The observer that the executing code is compiled with.
using Watch = Counting;

}  // namespace simulator
