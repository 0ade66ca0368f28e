// One warp with its position in the program. Part of a level: see level.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "simulator/execute/level/lanes.hpp"
#include "simulator/execute/watch/observer.hpp"
#include "simulator/execute/watch/undefined_values.hpp"

BEGIN_LEVEL

/// The reason why a warp stops, for a while or for good.
enum class Pause {
  exited,
  at_barrier,   // of the block
  out_of_time,  // its turns are used up
  waiting,      // all its lanes poll memory that others may change
};

/// Lanes that diverge at a branch run one group after the other, and reconverge at the branch's immediate
/// post-dominator: the scheme of GPUs before Volta (described by Fung et al., "Dynamic Warp Formation", 2007).
/// Since Volta, lanes make progress independently, and a lane may wait for another of its own warp. So a group
/// that only polls memory in a loop, until other threads change it, gives way to its warp's other groups. If
/// there are none, the lanes that wait at a meeting point for this group go on without it. Programs that never
/// wait run as if this rule did not exist.
///
/// The lanes that call a function together meet at its return. This meeting point is like others, but it is no
/// block of the callee. Lanes reach it by returning, each with the registers that it had at the call.
class WarpRunner {
 public:
  WarpRunner(const Program& program, BlockContext& context, uint32_t number);

  /// Sets the warp to the kernel's first instruction.
  void start(std::byte* registers, std::byte* local, uint32_t lanes);

  /// Runs until the warp exits, reaches a barrier, waits, or has passed `turns` basic blocks. Then, if `ends_slice`, groups of
  /// lanes that went different ways take turns.
  Pause run(uint64_t turns, bool ends_slice);

  /// After Pause::at_barrier: returns the basic block that ends in the barrier.
  const BasicBlock& barrier() const { return program_.blocks[block_]; }
  /// Continues after the barrier. `result` is the result of a reducing barrier.
  void pass_barrier(uint32_t result);
  uint32_t barrier_id() const;
  /// Returns the number of threads that the barrier waits for; 0: all of the block.
  uint32_t barrier_threads() const;
  /// Returns the lanes whose predicate a reducing barrier counts.
  uint32_t barrier_votes() const;

  /// True if the warp was seen twice in the same state while nothing was stored anywhere, up to the launch's
  /// current number of changes.
  bool repeats() const;

  uint32_t lanes() const { return warp_.live; }
  const Warp& warp() const { return warp_; }
  Warp& warp() { return warp_; }
  /// Returns the instruction that a waiting warp is about to execute.
  uint32_t next_instruction() const;

 private:
  static constexpr uint32_t NO_JOIN = ~0u;

  /// Lanes on the same path, while they do not run.
  struct Group {
    uint32_t block;
    uint32_t join;  // where they meet others: index into joins_, or NO_JOIN
    uint32_t lanes;
    uint32_t gathered =
        0;  // lanes that reconverged at the block's start, if it begins with `.sync`
  };
  /// The place where lanes that diverged at a branch reconverge.
  struct Join {
    uint32_t meet;   // basic block
    uint32_t outer;  // the join that the lanes belong to afterwards
    uint32_t lanes;  // lanes that diverged; 0: not in use
    uint32_t arrived;
    uint32_t depth;        // calls in progress, this one included
    bool is_call = false;  // True for the return of a call: the caller's lanes go on here
  };

  void execute_block(const BasicBlock& block);
  void execute_watched(const Op*& op, const Op* end, const BasicBlock& block);
  void leave(const BasicBlock& block);
  void enter(uint32_t block);
  void arrive();
  bool is_complete(const Join& join) const;
  void resume(uint32_t join);
  void drop_join(uint32_t join);
  void take(const Group& group);
  void next_group();
  uint32_t depth_of(uint32_t join) const { return join == NO_JOIN ? 0 : joins_[join].depth; }
  uint32_t open_join(uint32_t meet);
  void part(const BasicBlock& block, uint32_t taken_lanes, uint32_t taken);
  void leave_indirect(const BasicBlock& block);
  void leave_exit(const BasicBlock& block);
  void leave_call(const BasicBlock& block);
  Group call(const BasicBlock& block, const Group& callee);
  void leave_function();
  std::map<uint32_t, uint32_t> called_blocks(const BasicBlock& block) const;
  void reach_barrier(const BasicBlock& block);
  bool take_registers(const BasicBlock& block);
  bool pass_grid(const BasicBlock& block);
  bool may_enter(const BasicBlock& block);
  [[noreturn]] void fail_divergent_barrier() const;
  uint32_t guard_lanes(const BasicBlock& block) const;

  uint32_t members_of(const Group& group) const;
  bool gather(const BasicBlock& block);
  static void add_group(std::vector<Group>& groups, size_t first, const Group& group);
  bool release_gathered(const Group& last);
  bool settle();
  void check_masks(const BasicBlock& block) const;
  void report_absent_members(const Group& group) const;
  [[noreturn]] void fail_barrier(uint32_t lanes, uint32_t members, uint32_t instruction) const;
  [[noreturn]] void fail_to_gather(const Group& group) const;

  void look_back();
  void give_way();
  bool break_join();
  bool note_wait();
  Pause stop_at_barrier();
  void end_slice();
  std::vector<std::byte> state() const;

  const Program& program_;
  Warp warp_;
  uint32_t block_ = 0;
  uint32_t join_ = NO_JOIN;
  uint32_t meet_ = Program::END;  // joins_[join_].meet
  uint32_t gathered_ = 0;
  std::vector<Join> joins_;
  std::map<uint32_t, std::vector<std::byte>> frames_;  // registers kept by calls, by their join
  std::vector<Group> ready_;                           // the last one is next
  std::vector<Group> gathering_;  // at an instruction that waits for other lanes of the warp
  std::vector<Group> at_barrier_;
  std::vector<uint32_t> predicates_;
  UndefinedValues undefined_;

  uint64_t polls_seen_ = 0, changes_seen_ = 0;
  uint32_t idle_trips_ = 0;  // the running group's successive trips that polled and changed nothing
  uint32_t idle_groups_ = 0;  // groups that gave way since a group did anything else
  uint32_t idle_rounds_ = 0;  // times that all groups gave way
  uint32_t slices_ = 0;       // calls of run() that ended out of time, since lanes last met
  uint64_t polls_at_slice_ = 0;
  bool waits_ = false;

  std::vector<std::byte> anchor_;  // a state to compare later states with
  uint64_t anchor_changes_ = ~uint64_t{0};
  uint64_t steps_ = 0, steps_to_next_anchor_ = 1;
  bool repeats_ = false;
};

END_LEVEL
