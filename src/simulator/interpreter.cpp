#include "simulator/interpreter.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <string>

namespace simulator {
namespace {

constexpr uint32_t BARRIERS = 16;
// A warp that spins on another's flag must let the other run; long enough not to matter otherwise.
constexpr uint64_t TURNS_BEFORE_OTHERS = 1 << 16;
// What nothing wrote reads as NaN, in shared and in local memory, whatever ran there before.
constexpr int UNWRITTEN = 0xff;

std::string plural(uint64_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace

// --- one warp -------------------------------------------------------------------------------------

WarpRunner::WarpRunner(const Program& program, BlockContext& context, uint32_t number)
    : program_(program), predicates_(program.predicates) {
  predicates_.back() = ~0u;  // the immediate true
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
  warp_.set_active(lanes);
  block_ = 0;
  reconverge_ = Program::END;
  waiting_.clear();
}

uint32_t WarpRunner::guard_lanes(const BasicBlock& block) const {
  if (!block.has_guard) return warp_.active;
  const uint32_t guard = warp_.predicates[block.guard];
  return (block.guard_negated ? ~guard : guard) & warp_.active;
}

void WarpRunner::execute_block(const BasicBlock& block) {
  Worker& worker = *warp_.block->worker;
  worker.block_warps[block_] += 1;
  worker.block_lanes[block_] += static_cast<uint64_t>(std::popcount(warp_.active));
  const Op* const end = program_.ops.data() + block.last;
  const Op* op = program_.ops.data() + block.first;
  try {
    for (; op != end; ++op) op->execute(warp_, *op);
  } catch (WarpFault& fault) {
    fault.instruction = op->instruction;
    throw;
  }
}

/// Goes to `block`; lanes that reach their meeting point wait there for the others.
void WarpRunner::enter(uint32_t block) {
  block_ = block;
  if (block == reconverge_) resume_waiting();
}

void WarpRunner::resume_waiting() {
  while (!waiting_.empty()) {
    const Waiting next = waiting_.back();
    waiting_.pop_back();
    const uint32_t lanes = next.lanes & warp_.live;
    if (lanes == 0) continue;
    warp_.set_active(lanes);
    block_ = next.block;
    reconverge_ = next.reconverge;
    // A group may wait at the very place where it is to meet an outer one.
    if (block_ != reconverge_) return;
  }
  warp_.set_active(0);
}

/// The active lanes are about to part and will go on together from `meet`. Lanes that meet only at the end
/// of the kernel need no place to wait.
void WarpRunner::wait_for_all(uint32_t meet) {
  if (meet != reconverge_ && meet != Program::END)
    waiting_.push_back({meet, reconverge_, warp_.active});
}

/// Sends `taken_lanes` to `taken` and the other active lanes to the next block.
void WarpRunner::part(const BasicBlock& block, uint32_t taken_lanes, uint32_t taken) {
  const uint32_t others = warp_.active & ~taken_lanes;
  const uint32_t next = block_ + 1;
  if (others == 0) return enter(taken);
  if (taken_lanes == 0) return enter(next);
  const uint32_t meet = block.reconverge;
  wait_for_all(meet);
  // A side that is at the meeting point already has nothing to do but wait.
  if (next != meet && taken != meet) waiting_.push_back({next, meet, others});
  reconverge_ = meet;
  if (taken != meet) {
    warp_.set_active(taken_lanes);
    block_ = taken;
  } else if (next != meet) {
    warp_.set_active(others);
    block_ = next;
  } else {
    resume_waiting();
  }
}

void WarpRunner::leave_indirect(const BasicBlock& block) {
  const Lanes<uint32_t> index = warp_.read<uint32_t>(block.guard);
  std::map<uint32_t, uint32_t> lanes_to;  // target -> lanes
  for_each_lane(warp_.active, [&](int lane) {
    lanes_to[block.targets.at(std::min<size_t>(index[lane], block.targets.size() - 1))] |= 1u
                                                                                           << lane;
  });
  if (lanes_to.size() == 1) return enter(lanes_to.begin()->first);
  const uint32_t meet = block.reconverge;
  wait_for_all(meet);
  for (const auto& [target, lanes] : lanes_to) {
    if (target != meet) waiting_.push_back({target, meet, lanes});
  }
  resume_waiting();
}

void WarpRunner::leave_exit(const BasicBlock& block) {
  const uint32_t leaving = guard_lanes(block);
  warp_.live &= ~leaving;
  const uint32_t staying = warp_.active & ~leaving;
  if (staying != 0) {
    warp_.set_active(staying);
    enter(block_ + 1);
  } else {
    resume_waiting();
  }
}

/// False if a guard lets all lanes pass the barrier by.
bool WarpRunner::reach_barrier(const BasicBlock& block) {
  const uint32_t arriving = guard_lanes(block);
  if (arriving == 0) return false;
  if (arriving != warp_.live) {
    const uint32_t absent = warp_.live & ~arriving;
    throw WarpFault{
        FaultKind::barrier_divergence, std::countr_zero(arriving), 0,
        plural(static_cast<uint64_t>(std::popcount(arriving)), "lane") +
            " of the warp reached the barrier while " +
            plural(static_cast<uint64_t>(std::popcount(absent)), "lane") + " (thread " +
            std::to_string(warp_.first_thread + static_cast<uint32_t>(std::countr_zero(absent))) +
            " of the block first) took another branch; all threads of a block must reach it "
            "together",
        block.instruction};
  }
  return true;
}

Pause WarpRunner::run(uint64_t turns) {
  for (uint64_t turn = 0; warp_.active != 0; ++turn) {
    if (turn == turns) return Pause::out_of_time;
    const BasicBlock& block = program_.blocks[block_];
    execute_block(block);
    switch (block.leave) {
      case Leave::next:
        enter(block_ + 1);
        break;
      case Leave::jump:
        enter(block.taken);
        break;
      case Leave::branch:
        part(block, guard_lanes(block), block.taken);
        break;
      case Leave::indirect:
        leave_indirect(block);
        break;
      case Leave::exit:
        leave_exit(block);
        break;
      case Leave::barrier:
        if (reach_barrier(block)) return Pause::at_barrier;
        enter(block_ + 1);
        break;
    }
  }
  return Pause::exited;
}

uint32_t WarpRunner::barrier_id() const {
  return warp_.read<uint32_t>(barrier().barrier_id)[std::countr_zero(warp_.active)];
}

uint32_t WarpRunner::barrier_threads() const {
  if (!barrier().has_barrier_count) return 0;
  return warp_.read<uint32_t>(barrier().barrier_count)[std::countr_zero(warp_.active)];
}

uint32_t WarpRunner::barrier_votes() const {
  const uint32_t value = warp_.predicates[barrier().barrier_operand];
  return (barrier().barrier_operand_negated ? ~value : value) & warp_.active;
}

void WarpRunner::pass_barrier(uint32_t result) {
  const BasicBlock& block = barrier();
  if (block.barrier == BarrierKind::reduce_popc) {
    const Lanes<uint32_t> all = result;
    warp_.write<uint32_t>(block.barrier_result, all);
  } else if (block.barrier == BarrierKind::reduce_and || block.barrier == BarrierKind::reduce_or) {
    warp_.write_predicate(block.barrier_result, result != 0 ? ~0u : 0);
  }
  warp_.block->worker->barriers += 1;
  enter(block_ + 1);
}

// --- one block ------------------------------------------------------------------------------------

BlockRunner::BlockRunner(const Program& program, Worker& worker, const LaunchShape& shape,
                         const std::byte* parameters)
    : program_(program) {
  context_.worker = &worker;
  context_.parameters = parameters;
  context_.parameter_bytes = program.parameter_bytes;
  context_.dynamic_shared = shape.dynamic_shared;
  // The dynamic part starts at a multiple of 16 behind the static variables.
  const size_t dynamic_start = (program.static_shared + 15) / 16 * 16;
  context_.shared_bytes =
      shape.dynamic_shared == 0 ? program.static_shared : dynamic_start + shape.dynamic_shared;
  context_.local_bytes = program.local_bytes;
  context_.grid = shape.grid;
  context_.block_size = shape.block;
  shared_storage_.resize(context_.shared_bytes + 256);
  const auto misplaced = reinterpret_cast<uintptr_t>(shared_storage_.data()) % 256;
  context_.shared = shared_storage_.data() + (256 - misplaced) % 256;
  const size_t warps = (shape.block.count() + WARP - 1) / WARP;
  register_storage_ = std::make_unique<std::byte[]>(warps * program.register_bytes + 256);
  registers_ = register_storage_.get() +
               (256 - reinterpret_cast<uintptr_t>(register_storage_.get()) % 256) % 256;
  local_.resize(warps * WARP * program.local_bytes);
  states_.resize(warps);
}

void BlockRunner::start_warps() {
  std::fill_n(context_.shared, context_.shared_bytes, std::byte{UNWRITTEN});
  std::fill(local_.begin(), local_.end(), std::byte{UNWRITTEN});
  arrivals_.assign(BARRIERS, 0);
  std::fill(states_.begin(), states_.end(), State::ready);
  warps_.clear();
  warps_.reserve(states_.size());
  const uint64_t threads = context_.block_size.count();
  for (uint32_t number = 0; number < states_.size(); ++number) {
    const uint64_t lanes = std::min<uint64_t>(WARP, threads - uint64_t{number} * WARP);
    warps_.emplace_back(program_, context_, number);
    warps_.back().start(registers_ + number * program_.register_bytes,
                        local_.data() + size_t{number} * WARP * program_.local_bytes,
                        lanes == WARP ? ~0u : (1u << lanes) - 1);
  }
}

void BlockRunner::run(uint64_t linear_block) {
  context_.block.x = static_cast<uint32_t>(linear_block % context_.grid.x);
  context_.block.y = static_cast<uint32_t>(linear_block / context_.grid.x % context_.grid.y);
  context_.block.z = static_cast<uint32_t>(linear_block / context_.grid.x / context_.grid.y);
  start_warps();
  while (run_warps()) release_barriers();
}

/// Gives every ready warp its turn. False when all have exited.
bool BlockRunner::run_warps() {
  bool any_left = false;
  for (size_t i = 0; i < warps_.size(); ++i) {
    if (states_[i] == State::ready) {
      try {
        const Pause pause = warps_[i].run(TURNS_BEFORE_OTHERS);
        if (pause == Pause::exited) states_[i] = State::exited;
        if (pause == Pause::at_barrier) states_[i] = State::waiting;
        if (interrupted())
          throw WarpFault{FaultKind::interrupted, 0, 0, "the launch was interrupted", 0};
      } catch (const WarpFault& fault) {
        fail(fault, warps_[i].warp());
      }
    }
    any_left |= states_[i] != State::exited;
  }
  return any_left;
}

/// Lets the warps go on whose barrier has all the threads that it waits for. Threads that have exited are
/// not waited for, as on a device since Volta.
void BlockRunner::release_barriers() {
  std::map<uint32_t, std::vector<size_t>> waiting;
  uint32_t live = 0;
  bool any_ready = false;
  for (size_t i = 0; i < warps_.size(); ++i) {
    if (states_[i] == State::exited) continue;
    live += static_cast<uint32_t>(std::popcount(warps_[i].lanes()));
    any_ready |= states_[i] == State::ready;
    if (states_[i] == State::waiting) waiting[warps_[i].barrier_id() % BARRIERS].push_back(i);
  }
  bool released = false;
  for (const auto& [id, warps] : waiting) {
    uint32_t present = arrivals_[id];
    for (const size_t i : warps) {
      // bar.arrive does not wait.
      if (warps_[i].barrier().barrier == BarrierKind::arrive) {
        arrivals_[id] += WARP;
        warps_[i].pass_barrier(0);
        states_[i] = State::ready;
        released = true;
        continue;
      }
      present += static_cast<uint32_t>(std::popcount(warps_[i].lanes()));
    }
    if (released) continue;
    const uint32_t expected = warps_[warps.front()].barrier_threads();
    if (present < (expected == 0 ? live : expected)) continue;
    release(id, warps);
    released = true;
  }
  if (released || any_ready || waiting.empty()) return;
  const std::vector<size_t>& stuck = waiting.begin()->second;
  const WarpRunner& warp = warps_[stuck.front()];
  fail(WarpFault{FaultKind::barrier_divergence, std::countr_zero(warp.warp().active), 0,
                 "the barrier waits for threads that never come: no thread of the block can go on",
                 warp.barrier().instruction},
       warp.warp());
}

void BlockRunner::release(uint32_t id, const std::vector<size_t>& arrived) {
  uint32_t votes = 0;
  uint32_t threads = 0;
  for (const size_t i : arrived) {
    const WarpRunner& first = warps_[arrived.front()];
    const SourceLine& here = program_.sources[warps_[i].barrier().instruction].where;
    const SourceLine& there = program_.sources[first.barrier().instruction].where;
    const bool whole_block = warps_[i].barrier_threads() == 0;
    if (whole_block && (here.line != there.line || here.file != there.file))
      fail_mismatched_barriers(first, warps_[i]);
    threads += static_cast<uint32_t>(std::popcount(warps_[i].lanes()));
    const BarrierKind kind = warps_[i].barrier().barrier;
    if (kind != BarrierKind::sync)
      votes += static_cast<uint32_t>(std::popcount(warps_[i].barrier_votes()));
  }
  arrivals_[id] = 0;
  for (const size_t i : arrived) {
    const bool all = warps_[i].barrier().barrier == BarrierKind::reduce_and;
    warps_[i].pass_barrier(all ? static_cast<uint32_t>(votes == threads) : votes);
    states_[i] = State::ready;
  }
}

void BlockRunner::fail_mismatched_barriers(const WarpRunner& a, const WarpRunner& b) const {
  const SourceLine& other = program_.sources[a.barrier().instruction].where;
  fail(WarpFault{FaultKind::barrier_divergence, std::countr_zero(b.warp().active), 0,
                 "warps of one block met at different barriers: warp " +
                     std::to_string(b.warp().number) + " here, warp " +
                     std::to_string(a.warp().number) + " at line " + std::to_string(other.line) +
                     "; all threads of a block must reach the same one",
                 b.barrier().instruction},
       b.warp());
}

void BlockRunner::fail(const WarpFault& fault, const Warp& warp) const {
  const uint32_t thread = warp.first_thread + static_cast<uint32_t>(fault.lane);
  const SourceInstruction& source = program_.sources[fault.instruction];
  Fault complete;
  complete.kind = fault.kind;
  complete.kernel = program_.demangled;
  complete.where = source.where;
  complete.instruction = source.text;
  complete.block = context_.block;
  complete.thread = {thread % context_.block_size.x,
                     thread / context_.block_size.x % context_.block_size.y,
                     thread / context_.block_size.x / context_.block_size.y};
  complete.address = fault.address;
  complete.detail = fault.detail;
  throw complete;
}

}  // namespace simulator
