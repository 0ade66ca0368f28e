#include "simulator/execute/level/warp_runner.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "simulator/execute/level/async_copies.hpp"
#include "simulator/execute/level/matrix.hpp"
#include "simulator/execute/level/mbarriers.hpp"
#include "simulator/execute/watch/lane_hazards.hpp"

BEGIN_LEVEL
namespace {

// Trips round a loop that poll and change nothing, before others get a turn. A search through memory by atomics
// may make some such trips without waiting for any thread.
constexpr uint32_t IDLE_TRIPS = 32;
// Rounds or slices of polling before lanes at a meeting point go on alone, regardless of the others' state.
constexpr uint32_t PATIENCE = 128;

}  // namespace

WarpRunner::WarpRunner(const Program& program, BlockContext& context, uint32_t number)
    : program_(program), predicates_(program.predicates) {
  predicates_.back() = ~0u;  // the constant true
  warp_.block = &context;
  warp_.number = number;
  warp_.first_thread = number * WARP;
  warp_.constants = reinterpret_cast<const std::byte*>(program.constants.data());
}

void WarpRunner::start(std::byte* registers, std::byte* local, uint32_t lanes) {
  warp_.registers = registers;
  warp_.local = local;
  warp_.predicates = predicates_.data();
  warp_.live = lanes;
  warp_.register_share = warp_.block->registers.at_launch;
  joins_.clear();
  frames_.clear();
  ready_.clear();
  gathering_.clear();
  at_barrier_.clear();
  take({0, NO_JOIN, lanes});
}

uint32_t WarpRunner::guard_lanes(const BasicBlock& block) const {
  if (!block.has_guard) return warp_.active;
  const uint32_t guard = warp_.predicates[block.guard];
  return (block.guard_negated ? ~guard : guard) & warp_.active;
}

void WarpRunner::execute_block(const BasicBlock& block) {
  Watch::enter(*warp_.block->worker, block_, warp_.active);
  const Op* const end = program_.ops.data() + block.last;
  const Op* op = program_.ops.data() + block.first;
  try {
    const bool looks = Watch::looks_for_hazards(warp_);
    if (program_.has_late_results || (looks && (block.gathers || undefined_.any()))) [[unlikely]] {
      execute_watched(op, end, block);
    } else {
      for (; op != end; ++op) op->execute(warp_, *op);
    }
  } catch (WarpFault& fault) {
    fault.instruction = op->instruction;
    throw;
  }
}

// Executes a block while following the late results of wgmma, and the values that shuffles read from absent lanes.
void WarpRunner::execute_watched(const Op*& op, const Op* end, const BasicBlock& block) {
  const bool looks = Watch::looks_for_hazards(warp_);
  for (; op != end; ++op) {
    const bool is_shuffle = looks && program_.sources[op->instruction].facts.is_shuffle();
    if (program_.has_late_results) before_instruction(warp_, *op);
    if (is_shuffle) {
      undefined_.before_shuffle(warp_, *op);
    } else if (undefined_.any()) {
      undefined_.before(warp_, *op);
    }
    op->execute(warp_, *op);
    if (program_.has_late_results) after_instruction(warp_, *op);
    if (is_shuffle) undefined_.after_shuffle(warp_, *op);
  }
  if (!undefined_.any()) return;
  if (block.leave == Leave::call || block.leave == Leave::function_return) {
    undefined_.clear();
  } else if (block.has_terminator) {
    undefined_.before_leaving(warp_, block.instruction);
  }
}

// --- divergence and reconvergence -------------------------------------------------------------------

void WarpRunner::take(const Group& group) {
  set_active(warp_, group.lanes);
  block_ = group.block;
  join_ = group.join;
  meet_ = join_ == NO_JOIN || joins_[join_].is_call ? Program::END : joins_[join_].meet;
  gathered_ = group.gathered;
}

// Goes to `block`. Lanes that reach their meeting point wait there for the others.
void WarpRunner::enter(uint32_t block) {
  block_ = block;
  if (block == meet_) arrive();
}

void WarpRunner::arrive() {
  Join& join = joins_[join_];
  join.arrived |= warp_.active;
  if (is_complete(join)) {
    resume(join_);
  } else {
    next_group();
  }
}

bool WarpRunner::is_complete(const Join& join) const {
  return (join.lanes & warp_.live & ~join.arrived) == 0;
}

// Continues the lanes of a complete join together.
void WarpRunner::resume(uint32_t index) {
  const Join join = joins_[index];
  drop_join(index);
  if (!join.is_call) slices_ = 0;  // lanes that return from a function together do not count as met
  take({join.meet, join.outer, join.arrived & warp_.live});
  if (block_ == meet_) arrive();  // this may also be the outer meeting point
}

void WarpRunner::drop_join(uint32_t index) {
  joins_[index].lanes = 0;
  if (joins_[index].is_call) frames_.erase(index);
  while (!joins_.empty() && joins_.back().lanes == 0) joins_.pop_back();
}

// Switches from the running group to the next one.
void WarpRunner::next_group() {
  idle_trips_ = 0;
  if (ready_.empty()) {
    set_active(warp_, 0);
    return;
  }
  const Group group = ready_.back();
  ready_.pop_back();
  take(group);
  if (block_ == meet_) arrive();
}

// Opens a join for the active lanes, which are about to diverge and will reconverge at `meet`. Lanes that
// reconverge only at the end of the kernel need none.
uint32_t WarpRunner::open_join(uint32_t meet) {
  if (meet == Program::END || meet == meet_) return join_;
  joins_.push_back({meet, join_, warp_.active, 0, depth_of(join_)});
  return static_cast<uint32_t>(joins_.size() - 1);
}

// Sends `taken_lanes` to `taken` and the other active lanes to the next block.
void WarpRunner::part(const BasicBlock& block, uint32_t taken_lanes, uint32_t taken) {
  const uint32_t others = warp_.active & ~taken_lanes;
  const uint32_t next = block_ + 1;
  if (others == 0) return enter(taken);
  if (taken_lanes == 0) return enter(next);
  const uint32_t join = open_join(block.reconverge);
  const Group first{taken, join, taken_lanes};
  const Group second{next, join, others};
  // A side that is already at the meeting point only waits.
  const bool second_waits = next == block.reconverge;
  if (second_waits) joins_[join].arrived |= others;
  if (taken != block.reconverge) {
    if (!second_waits) ready_.push_back(second);
    take(first);
  } else {
    joins_[join].arrived |= taken_lanes;
    if (second_waits) return resume(join);
    take(second);
  }
}

void WarpRunner::leave_indirect(const BasicBlock& block) {
  const Lanes<uint32_t> index = read<uint32_t>(warp_, block.guard);
  std::map<uint32_t, uint32_t> lanes_to;  // target -> lanes
  for_each_lane(warp_.active, [&](int lane) {
    const size_t last = block.targets.size() - 1;
    lanes_to[block.targets.at(std::min<size_t>(index[lane], last))] |= 1u << lane;
  });
  if (lanes_to.size() == 1) return enter(lanes_to.begin()->first);
  const uint32_t join = open_join(block.reconverge);
  for (const auto& [target, lanes] : lanes_to) ready_.push_back({target, join, lanes});
  next_group();
}

void WarpRunner::leave_exit(const BasicBlock& block) {
  const uint32_t leaving = guard_lanes(block);
  // Other threads of the block may read them.
  if (!warp_.copies.empty()) land_all_copies(warp_, leaving);
  end_bulk_copies(warp_, leaving);
  end_products(warp_);
  warp_.live &= ~leaving;
  if (BlockHazards* const hazards = warp_.block->hazards; hazards != nullptr)
    hazards->leave(warp_.first_thread / WARP, leaving);
  warp_.block->cluster->leave(*warp_.block, warp_.number, leaving);
  const uint32_t staying = warp_.active & ~leaving;
  if (staying != 0) {
    set_active(warp_, staying);
    return enter(block_ + 1);
  }
  // Lanes that waited for the exited lanes wait no longer. The innermost join comes first.
  for (auto join = static_cast<uint32_t>(joins_.size()); join-- > 0;) {
    if (joins_[join].lanes == 0 || !is_complete(joins_[join])) continue;
    if ((joins_[join].arrived & warp_.live) != 0) return resume(join);
    drop_join(join);
    join = std::min(join, static_cast<uint32_t>(joins_.size()));
  }
  next_group();
}

// --- calls ------------------------------------------------------------------------------------------

// Returns the targets of the active lanes' calls: the callee's first block -> lanes.
std::map<uint32_t, uint32_t> WarpRunner::called_blocks(const BasicBlock& block) const {
  if (!block.through_pointer) return {{block.taken, warp_.active}};
  std::map<uint32_t, uint32_t> lanes_to;
  const uint64_t* const address = lanes_of<uint64_t>(warp_, block.guard);
  for_each_lane(warp_.active, [&](int lane) {
    const auto function = program_.function_blocks.find(address[lane]);
    if (function == program_.function_blocks.end()) {
      throw WarpFault{
          {.kind = FaultKind::no_function, .address = address[lane]}, lane, block.instruction};
    }
    lanes_to[function->second] |= 1u << lane;
  });
  return lanes_to;
}

// Leaves a block by a call. Lanes that call different functions meet after the call.
void WarpRunner::leave_call(const BasicBlock& block) {
  const std::map<uint32_t, uint32_t> lanes_to = called_blocks(block);
  if (lanes_to.size() == 1) {
    const auto& [callee, lanes] = *lanes_to.begin();
    return take(call(block, {callee, join_, lanes}));
  }
  const uint32_t join = open_join(block_ + 1);
  for (const auto& [callee, lanes] : lanes_to) ready_.push_back(call(block, {callee, join, lanes}));
  next_group();
}

// Returns the group inside the function that it enters. After the call it goes on in `callee.join`.
WarpRunner::Group WarpRunner::call(const BasicBlock& block, const Group& callee) {
  const uint32_t depth = depth_of(callee.join) + 1;
  if (depth > program_.call_depth) {
    throw WarpFault{{.kind = FaultKind::stack_overflow, .calls = program_.call_depth},
                    std::countr_zero(callee.lanes),
                    block.instruction};
  }
  const auto join = static_cast<uint32_t>(joins_.size());
  joins_.push_back({block_ + 1, callee.join, callee.lanes, 0, depth, true});
  std::vector<std::byte>& frame = frames_[join];
  const auto keep = [&](const void* from, size_t bytes) {
    const auto* const first = static_cast<const std::byte*>(from);
    frame.insert(frame.end(), first, first + bytes);
  };
  for (const KeptRegister& kept : block.kept) {
    if (kept.bytes == 0) {
      keep(&warp_.predicates[kept.slot], sizeof(uint32_t));
    } else {
      keep(warp_.registers + kept.slot, static_cast<size_t>(kept.bytes) * WARP);
    }
  }
  return {callee.block, join, callee.lanes};
}

// Lets the active lanes return from a function. Other lanes of the same call may still run.
void WarpRunner::leave_function() {
  const BasicBlock& caller = program_.blocks[joins_[join_].meet - 1];
  const std::byte* from = frames_.at(join_).data();
  const auto restore = [&]<typename T>(T, Slot slot) {
    Lanes<T> value;
    std::memcpy(&value, from, sizeof value);
    write<T>(warp_, slot, value);
    from += sizeof value;
  };
  for (const KeptRegister& kept : caller.kept) {
    if (kept.bytes == 0) {
      uint32_t value = 0;
      std::memcpy(&value, from, sizeof value);
      write_predicate(warp_, kept.slot, value);
      from += sizeof value;
    } else if (kept.bytes == 8) {
      restore(uint64_t{}, kept.slot);
    } else {
      restore(uint32_t{}, kept.slot);
    }
  }
  arrive();
}

// --- instructions for several lanes -----------------------------------------------------------------

// Returns the lanes that the group's first instruction waits for.
uint32_t WarpRunner::members_of(const Group& group) const {
  const BasicBlock& block = program_.blocks[group.block];
  return read<uint32_t>(warp_, block.members)[std::countr_zero(group.lanes)] & warp_.live;
}

// Gathers the lanes before an instruction that a mask's lanes execute together. Returns false if the active lanes
// must wait.
bool WarpRunner::gather(const BasicBlock& block) {
  const uint32_t members =
      read<uint32_t>(warp_, block.members)[std::countr_zero(warp_.active)] & warp_.live;
  if ((members & ~warp_.active) == 0) {
    gathered_ = warp_.active;
    return true;
  }
  const Group group{block_, join_, warp_.active};
  gathering_.push_back(group);
  if (!release_gathered(group)) next_group();
  return false;
}

// Adds a group that goes on to those from index `first` on. Lanes at the same place that meet the same others go on together.
void WarpRunner::add_group(std::vector<Group>& groups, size_t first, const Group& group) {
  const auto same = std::find_if(
      groups.begin() + static_cast<ptrdiff_t>(first), groups.end(),
      [&](const Group& other) { return other.block == group.block && other.join == group.join; });
  if (same != groups.end()) {
    same->lanes |= group.lanes;
  } else {
    groups.push_back(group);
  }
}

// Releases the lanes that wait together with `last`, if all lanes that it waits for are there: at the same
// instruction or, for __syncwarp, at any __syncwarp.
bool WarpRunner::release_gathered(const Group& last) {
  const uint32_t members = members_of(last);
  const bool is_barrier = program_.blocks[last.block].must_gather;
  const auto is_with_last = [&](const Group& group) {
    const bool same_place =
        is_barrier ? program_.blocks[group.block].must_gather : group.block == last.block;
    return same_place && members_of(group) == members;
  };
  uint32_t present = 0;
  for (const Group& group : gathering_) {
    if (is_with_last(group)) present |= group.lanes;
  }
  if ((members & ~present) != 0) return false;
  std::vector<Group> together;
  std::erase_if(gathering_, [&](const Group& group) {
    if (!is_with_last(group)) return false;
    add_group(together, 0, {group.block, group.join, group.lanes, present});
    return true;
  });
  ready_.insert(ready_.end(), together.rbegin(), together.rend());
  next_group();
  return true;
}

// Called when no group is ready. Returns true if one is ready now: awaited lanes have exited, or will not come.
bool WarpRunner::settle() {
  for (size_t i = 0; i < gathering_.size(); ++i) {
    if (release_gathered(Group(gathering_[i]))) return true;
  }
  if (!at_barrier_.empty()) return false;
  if (gathering_.empty()) {
    if (break_join()) next_group();
    return true;
  }
  // If lanes are absent, a warp's barrier cannot be passed. A shuffle takes the lanes present.
  for (const Group& group : gathering_) {
    if (program_.blocks[group.block].must_gather) fail_to_gather(group);
  }
  Group first = gathering_.front();
  first.gathered = first.lanes;
  if (Watch::looks_for_hazards(warp_)) report_absent_members(first);
  gathering_.erase(gathering_.begin());
  take(first);
  return true;
}

void WarpRunner::report_absent_members(const Group& group) const {
  const auto instruction_of = [&](const Group& g) {
    return program_.ops[program_.blocks[g.block].first].instruction;
  };
  const uint32_t absent = members_of(group) & ~group.lanes;
  const auto other = std::find_if(gathering_.begin(), gathering_.end(), [&](const Group& g) {
    return (g.lanes & (absent & -absent)) != 0;
  });
  const int lane = std::countr_zero(group.lanes);
  const uint32_t mask = read<uint32_t>(warp_, program_.blocks[group.block].members)[lane];
  report_lanes_that_never_come(
      warp_, instruction_of(group), lane, mask, absent,
      other == gathering_.end() ? std::nullopt : std::optional(instruction_of(*other)));
}

// Reports each active lane whose mask does not name it, or names an active lane with another mask.
void WarpRunner::check_masks(const BasicBlock& block) const {
  const Lanes<uint32_t> masks = read<uint32_t>(warp_, block.members);
  const uint32_t instruction = program_.ops[block.first].instruction;
  for_each_lane(warp_.active, [&](int lane) {
    const uint32_t mask = masks[lane];
    const Lanes<uint32_t> same = mask;
    if ((mask >> lane & 1u) == 0) return report_mask_without_caller(warp_, instruction, lane, mask);
    const uint32_t others = mask & warp_.active & ~to_bits(masks == same);
    if (others == 0) return;
    const int other = std::countr_zero(others);
    report_masks_that_differ(warp_, instruction, lane, mask, other, masks[other]);
  });
}

// Throws a fault: these lanes have come, but the other members took another branch.
void WarpRunner::fail_barrier(uint32_t lanes, uint32_t members, uint32_t instruction) const {
  const uint32_t absent = members & ~lanes;
  throw WarpFault{
      {.kind = FaultKind::barrier_divergence,
       .lanes_here = static_cast<uint32_t>(std::popcount(members & lanes)),
       .lanes_elsewhere = static_cast<uint32_t>(std::popcount(absent)),
       .thread_elsewhere = warp_.first_thread + static_cast<uint32_t>(std::countr_zero(absent))},
      std::countr_zero(lanes),
      instruction};
}

void WarpRunner::fail_to_gather(const Group& group) const {
  fail_barrier(group.lanes, members_of(group),
               program_.ops[program_.blocks[group.block].first].instruction);
}

// --- barriers of the block ----------------------------------------------------------------------------

// Makes the active lanes wait. The warp's other lanes may still come, or exit.
void WarpRunner::reach_barrier(const BasicBlock& block) {
  const uint32_t arriving = guard_lanes(block);
  if (arriving == 0) return enter(block_ + 1);  // a false guard lets all lanes pass
  const uint32_t others = warp_.active & ~arriving;
  if (others != 0) ready_.push_back({block_ + 1, join_, others});
  at_barrier_.push_back({block_, join_, arriving});
  next_group();
}

void WarpRunner::fail_divergent_barrier() const {
  const Group& group = at_barrier_.front();
  uint32_t arriving = 0;
  for (const Group& other : at_barrier_) arriving |= other.block == group.block ? other.lanes : 0;
  fail_barrier(arriving, warp_.live, program_.blocks[group.block].instruction);
}

uint32_t WarpRunner::barrier_id() const {
  return read<uint32_t>(warp_, barrier().barrier_id)[std::countr_zero(warp_.active)];
}

uint32_t WarpRunner::barrier_threads() const {
  if (!barrier().has_barrier_count) return 0;
  return read<uint32_t>(warp_, barrier().barrier_count)[std::countr_zero(warp_.active)];
}

uint32_t WarpRunner::barrier_votes() const {
  const uint32_t value = warp_.predicates[barrier().barrier_operand];
  return (barrier().barrier_operand_negated ? ~value : value) & warp_.active;
}

void WarpRunner::pass_barrier(uint32_t result) {
  const BasicBlock& block = barrier();
  if (block.barrier == BarrierKind::reduce_popc) {
    const Lanes<uint32_t> all = result;
    write<uint32_t>(warp_, block.barrier_result, all);
  } else if (block.barrier == BarrierKind::reduce_and || block.barrier == BarrierKind::reduce_or) {
    write_predicate(warp_, block.barrier_result, result != 0 ? ~0u : 0);
  }
  Watch::barrier(*warp_.block->worker);
  const uint32_t next = block_ + 1;
  const size_t before = ready_.size();
  // Lanes that parted in a wait go on together, as on a device.
  for (const Group& group : at_barrier_) add_group(ready_, before, {next, group.join, group.lanes});
  at_barrier_.clear();
  next_group();
}

// --- registers ----------------------------------------------------------------------------------------

// Changes the warp's share of the block's registers (setmaxnreg). Returns false if the block has too few to spare now.
bool WarpRunner::take_registers(const BasicBlock& block) {
  if (guard_lanes(block) == 0) return true;
  if (block.registers == 0) {
    throw WarpFault{{.kind = FaultKind::unknown_instruction},
                    std::countr_zero(warp_.active),
                    block.instruction};
  }
  warp_.awaited_registers = 0;
  RegisterPool& pool = warp_.block->registers;
  const uint32_t share = warp_.register_share;
  const bool is_change = block.raises_registers ? block.registers > share : block.registers < share;
  if (pool.at_launch == 0) return true;
  if (!block.raises_registers && block.registers > share) {
    throw WarpFault{{.kind = FaultKind::unknown_instruction,
                     .obstacle = Obstacle::raising_decrease,
                     .registers = {.asked = block.registers, .at_launch = share}},
                    std::countr_zero(warp_.active),
                    block.instruction};
  }
  if (!is_change) return true;
  if (share + pool.spare < block.registers) {
    warp_.awaited_registers = block.registers;
    return false;
  }
  pool.spare = pool.spare + share - block.registers;
  warp_.register_share = block.registers;
  ++warp_.changes;
  return true;
}

// --- the grid's barrier -------------------------------------------------------------------------------

// Returns false if a lane waits for a phase of the grid's barrier that is not complete.
bool WarpRunner::pass_grid(const BasicBlock& block) {
  const uint32_t lanes = guard_lanes(block);
  const GridBarrier& grid = warp_.block->worker->launch.grid;
  const Lanes<uint32_t> phases = read<uint32_t>(warp_, block.grid_phase);
  warp_.awaits_grid = false;
  for_each_lane(lanes, [&](int lane) { warp_.awaits_grid |= !grid.is_complete(phases[lane]); });
  if (warp_.awaits_grid) return false;
  if (BlockHazards* const hazards = warp_.block->hazards; hazards != nullptr) {
    for_each_lane(lanes, [&](int lane) { hazards->order.pass_grid(phases[lane]); });
  }
  return true;
}

// Returns false if the block begins with a wait that is not over.
bool WarpRunner::may_enter(const BasicBlock& block) {
  if (block.leave == Leave::registers) return take_registers(block);
  return block.leave != Leave::grid_wait || pass_grid(block);
}

// --- waiting ------------------------------------------------------------------------------------------

// Called at the end of a trip round a loop in which the group polled.
void WarpRunner::look_back() {
  const bool idle = warp_.changes == changes_seen_;
  polls_seen_ = warp_.polls;
  changes_seen_ = warp_.changes;
  if (!idle) {
    idle_trips_ = 0;
    idle_groups_ = 0;
    idle_rounds_ = 0;
  } else if (++idle_trips_ >= IDLE_TRIPS) {
    idle_trips_ = 0;
    give_way();
  }
}

// Lets the warp's next group run. If each group has had its turn and only polled, the warp waits.
void WarpRunner::give_way() {
  const bool all_idle = ++idle_groups_ > ready_.size();
  if (!ready_.empty()) {
    ready_.insert(ready_.begin(), {block_, join_, warp_.active});
    next_group();
  }
  if (!all_idle) return;
  idle_groups_ = 0;
  const bool nothing_new = note_wait();
  // A loop that ends by itself, such as a search by atomics, does not return to the same state.
  if (nothing_new || ++idle_rounds_ >= PATIENCE) {
    idle_rounds_ = 0;
    if (break_join()) return;
  }
  waits_ = true;
}

// Lets lanes at a meeting point go on without the others, which may be waiting for them.
bool WarpRunner::break_join() {
  for (auto i = static_cast<uint32_t>(joins_.size()); i-- > 0;) {
    Join& join = joins_[i];
    const uint32_t waiting = join.lanes & join.arrived & warp_.live;
    if (waiting == 0) continue;
    ready_.push_back({join.meet, join.outer, waiting});
    join.lanes &= ~waiting;
    join.arrived = 0;
    return true;
  }
  return false;
}

// Returns true if the warp's state occurred before. A state that repeats while nothing is stored will repeat for
// ever. Brent's method ("An improved Monte Carlo factorization algorithm", 1980) finds a cycle of any length.
bool WarpRunner::note_wait() {
  const uint64_t changes = warp_.block->worker->launch.changes.load();
  std::vector<std::byte> now = state();
  const bool same = now == anchor_;
  const bool is_new = changes != anchor_changes_;
  repeats_ = same && !is_new;
  if (repeats_) return true;
  if (is_new) steps_to_next_anchor_ = 1;
  if (is_new || ++steps_ >= steps_to_next_anchor_) {
    steps_ = 0;
    steps_to_next_anchor_ *= 2;
    anchor_ = std::move(now);
    anchor_changes_ = changes;
  }
  return same;
}

std::vector<std::byte> WarpRunner::state() const {
  std::vector<std::byte> bytes(warp_.registers, warp_.registers + program_.register_bytes);
  const auto add = [&](const auto& values) {
    const auto* const first = reinterpret_cast<const std::byte*>(values.data());
    bytes.insert(bytes.end(), first, first + values.size() * sizeof values[0]);
  };
  add(predicates_);
  std::vector<uint32_t> words{block_, join_, warp_.active, warp_.live};
  for (const auto* groups : {&ready_, &gathering_, &at_barrier_}) {
    words.push_back(static_cast<uint32_t>(groups->size()));
    for (const Group& g : *groups) words.insert(words.end(), {g.block, g.join, g.lanes});
  }
  for (const Join& j : joins_) words.insert(words.end(), {j.meet, j.outer, j.lanes, j.arrived});
  add(words);
  for (const auto& [join, frame] : frames_) add(frame);
  for (const PendingCopy& copy : warp_.copies) {
    for_each_lane(copy.lanes, [&](int lane) {
      const auto l = static_cast<size_t>(lane);
      const uint32_t age = warp_.groups[l] - copy.group[l];
      add(std::array{static_cast<uint32_t>(lane), copy.instruction, age, copy.offset[l]});
      add(std::span(copy.data).subspan(l * copy.bytes, copy.bytes));
    });
  }
  return bytes;
}

bool WarpRunner::repeats() const {
  return repeats_ && anchor_changes_ == warp_.block->worker->launch.changes.load();
}

uint32_t WarpRunner::next_instruction() const {
  const BasicBlock& block = program_.blocks[block_];
  return block.first < block.last ? program_.ops[block.first].instruction : block.instruction;
}

// --- running --------------------------------------------------------------------------------------------

void WarpRunner::leave(const BasicBlock& block) {
  switch (block.leave) {
    case Leave::next:
      return enter(block_ + 1);
    case Leave::jump:
      return enter(block.taken);
    case Leave::branch:
      return part(block, guard_lanes(block), block.taken);
    case Leave::indirect:
      return leave_indirect(block);
    case Leave::exit:
      return leave_exit(block);
    case Leave::barrier:
      return reach_barrier(block);
    case Leave::call:
      return leave_call(block);
    case Leave::function_return:
      return leave_function();
    case Leave::registers:
    case Leave::grid_wait:
      return enter(block_ + 1);
  }
}

Pause WarpRunner::run(uint64_t turns, bool ends_slice) {
  waits_ = false;
  for (uint64_t turn = 0; turn < turns; ++turn) {
    if (warp_.active == 0) [[unlikely]] {
      if (warp_.live == 0) return Pause::exited;
      if (settle()) continue;
      return stop_at_barrier();
    }
    const uint32_t here = block_;
    const BasicBlock& block = program_.blocks[here];
    if (block.gathers) {
      if (gathered_ == 0 && !gather(block)) continue;
      warp_.together = gathered_;
      if (Watch::looks_for_hazards(warp_)) check_masks(block);
    }
    gathered_ = 0;
    if (!may_enter(block)) [[unlikely]] {
      give_way();
      if (waits_) return Pause::waiting;
      continue;
    }
    execute_block(block);
    leave(block);
    if (block_ <= here && warp_.polls != polls_seen_) {
      look_back();
      if (waits_) return Pause::waiting;
    }
  }
  if (ends_slice) end_slice();
  return Pause::out_of_time;
}

// Stops the warp: its lanes can go on only through a barrier of the block. Throws a fault if they wait at
// different ones.
Pause WarpRunner::stop_at_barrier() {
  uint32_t arrived = 0;
  for (const Group& group : at_barrier_)
    arrived |= group.block == at_barrier_.front().block ? group.lanes : 0;
  if (arrived != warp_.live) fail_divergent_barrier();
  block_ = at_barrier_.front().block;
  set_active(warp_, arrived);
  return Pause::at_barrier;
}

// Ends a slice of a long loop: groups take turns in any case. Lanes that store while they wait are never idle, so
// after some time the others do not wait for them.
void WarpRunner::end_slice() {
  if (warp_.active == 0) return;
  slices_ = warp_.polls != polls_at_slice_ ? slices_ + 1 : 0;
  polls_at_slice_ = warp_.polls;
  if (slices_ >= PATIENCE) {
    slices_ = 0;
    break_join();
  }
  if (ready_.empty()) return;
  ready_.insert(ready_.begin(), {block_, join_, warp_.active, gathered_});
  next_group();
}

END_LEVEL
