#include "simulator/execute/level/block_runner.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>

#include "simulator/execute/level/level.hpp"
#include "simulator/execute/level/mbarriers.hpp"
#include "simulator/hazards/describe.hpp"

BEGIN_LEVEL
namespace {

// A device has 16. The others are for tiles of several warps: see cooperative_groups.h.
constexpr uint32_t BARRIERS = 48;
// Basic blocks that a warp passes before the others get a turn. Long enough to cost nothing otherwise.
constexpr uint64_t TURNS_OF_A_WARP = 1 << 16;
constexpr uint64_t TURNS_OF_A_WARP_IN_AN_EXCERPT = 1 << 5;  // for launches whose turns are counted
// Limits before other blocks get a turn: rounds in which a warp used up its turns, and rounds in all. A round may
// be as short as the way from one barrier to the next, and a block that is put aside leaves the host's caches.
constexpr uint64_t STEPS_OF_A_SLICE = 1 << 12;  // of a timeline: then a warp's groups take turns
constexpr int LONG_ROUNDS_OF_A_BLOCK = 64;
constexpr int ROUNDS_OF_A_BLOCK = 1 << 16;
// Unwritten shared and local memory reads as NaN, regardless of earlier blocks.
constexpr int UNWRITTEN = 0xff;

std::byte* aligned(std::byte* at) {
  constexpr uintptr_t ALIGNMENT = 256;
  return at + (ALIGNMENT - reinterpret_cast<uintptr_t>(at) % ALIGNMENT) % ALIGNMENT;
}

FaultAction action_of(const Facts& facts) {
  if (facts.family == Family::load || facts.family == Family::texture) return FaultAction::reads;
  if (facts.family == Family::store) return FaultAction::writes;
  if (facts.family == Family::async_copy) return FaultAction::copies;
  if (facts.operation == Operation::free) return FaultAction::frees;
  return facts.operation == Operation::meet ? FaultAction::meets : FaultAction::accesses;
}

}  // namespace

BlockRunner::BlockRunner(const Program& program, Worker& worker, const LaunchShape& shape,
                         const std::byte* parameters)
    : program_(program) {
  context_.worker = &worker;
  context_.parameters = parameters;
  context_.parameter_bytes = program.parameter_bytes;
  context_.dynamic_shared = shape.dynamic_shared;
  // Dynamic shared memory starts at a multiple of 16 after the static variables.
  const size_t dynamic_start = (program.static_shared + 15) / 16 * 16;
  context_.shared_bytes =
      shape.dynamic_shared == 0 ? program.static_shared : dynamic_start + shape.dynamic_shared;
  context_.local_bytes = program.stack_bytes;
  context_.grid = shape.grid;
  context_.block_size = shape.block;
  if (worker.launch.watched) {
    hazards_ = std::make_unique<BlockHazards>(*worker.launch.watched, shape.grid, shape.block,
                                              context_.shared_bytes, context_.local_bytes);
    context_.hazards = hazards_.get();
  }
  shared_storage_.resize(context_.shared_bytes + 256);
  context_.shared = aligned(shared_storage_.data());
  const size_t warps = (shape.block.count() + WARP - 1) / WARP;
  register_storage_ = std::make_unique<std::byte[]>(warps * program.register_bytes + 256);
  registers_ = aligned(register_storage_.get());
  local_.resize(warps * WARP * program.stack_bytes);
  states_.resize(warps);
  order_.resize(warps);
  std::iota(order_.begin(), order_.end(), size_t{0});
  alone_.blocks = {&context_};
  alone_.is_explicit = shape.cluster.x != 0;
  context_.cluster = &alone_;
}

void BlockRunner::join(ClusterContext& cluster, uint32_t rank,
                       const std::vector<BlockRunner*>& blocks) {
  context_.cluster = &cluster;
  context_.rank = rank;
  if (!hazards_) return;
  std::vector<BlockHazards*> all;
  for (const BlockRunner* const block : blocks) all.push_back(block->hazards_.get());
  hazards_->join(all, rank);
}

BlockRunner::~BlockRunner() { keep_timeline(); }

void BlockRunner::start(uint64_t linear_number) {
  alone_.live = alone_.arrivals = 0;
  start(linear_number, {linear_number});
  alone_.number = context_.block;
}

void BlockRunner::start(uint64_t linear_number, const std::vector<uint64_t>& cluster) {
  number = linear_number;
  has_begun_ = false;
  context_.block.x = static_cast<uint32_t>(number % context_.grid.x);
  context_.block.y = static_cast<uint32_t>(number / context_.grid.x % context_.grid.y);
  context_.block.z = static_cast<uint32_t>(number / context_.grid.x / context_.grid.y);
  std::fill_n(context_.shared, context_.shared_bytes, std::byte{UNWRITTEN});
  std::fill(local_.begin(), local_.end(), std::byte{UNWRITTEN});
  if (hazards_) hazards_->start(linear_number, cluster);
  context_.bulk.start(context_.block_size.count());
  context_.registers = {.at_launch = registers_at_launch(program_)};
  context_.grid_arrivals = 0;
  arrivals_.assign(BARRIERS, 0);
  passed_by_.assign(BARRIERS, {});
  std::fill(states_.begin(), states_.end(), State::ready);
  warps_.clear();
  warps_.reserve(states_.size());
  const uint64_t threads = context_.block_size.count();
  context_.cluster->live += static_cast<uint32_t>(threads);
  context_.arrived.assign(states_.size(), 0);
  context_.unwaited.assign(states_.size(), 0);
  for (uint32_t warp = 0; warp < states_.size(); ++warp) {
    const uint64_t lanes = std::min<uint64_t>(WARP, threads - uint64_t{warp} * WARP);
    warps_.emplace_back(program_, context_, warp);
    warps_.back().start(registers_ + warp * program_.register_bytes,
                        local_.data() + size_t{warp} * WARP * program_.stack_bytes,
                        lanes == WARP ? ~0u : (1u << lanes) - 1);
  }
  if (context_.worker->schedule != 0) shuffle_warps();
}

// Shuffles the warps: the same order for the same block and seed, on any worker.
void BlockRunner::shuffle_warps() {
  std::mt19937_64 random(context_.worker->schedule * 0x9e3779b97f4a7c15u + number);
  std::iota(order_.begin(), order_.end(), size_t{0});
  for (size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random() % i]);
}

Progress BlockRunner::run() {
  if (!std::exchange(has_begun_, true)) {
    timeline_ =
        context_.worker->device().timelines.record(program_.demangled, number, states_.size());
    context_.timeline = timeline_.get();
    steps_ = 0;
  }
  int long_rounds = 0;
  moved_ = false;
  for (int round = 0; round < ROUNDS_OF_A_BLOCK && long_rounds < LONG_ROUNDS_OF_A_BLOCK; ++round) {
    out_of_time_ = false;
    bool any_moved = false;
    bool any_left = false;
    for (const size_t i : order_) {
      if (states_[i] == State::ready) any_moved |= run_warp(i);
      any_left |= states_[i] != State::exited;
    }
    if (timeline_) note_step();
    if (!any_left) {
      keep_timeline();
      moved_ = true;
      if (hazards_) {
        report_unawaited_loads();
        hazards_->end();
      }
      return Progress::finished;
    }
    any_moved |= release_barriers();
    moved_ |= any_moved;
    if (!any_moved) return Progress::waiting;
    if (out_of_time_) ++long_rounds;
  }
  return Progress::going_on;
}

void BlockRunner::report_unawaited_loads() {
  for (const BlockContext* const block : context_.cluster->blocks) {
    for (const BulkLoad& load : block->bulk.loads) {
      // Copies to the block, and copies from its shared memory.
      const bool is_target = load.block == &context_;
      if (!is_target && !(load.source && load.requester == &context_)) continue;
      const uint64_t offset = !is_target          ? load.source->offset
                              : load.rows.empty() ? 0
                                                  : load.rows.front().offset;
      load.requester->hazards->unawaited_copy(load.instruction, load.thread,
                                              SharedPlace{&context_, offset}.address());
    }
  }
}

// Records what each warp did in this round. A round is a step of the timeline.
void BlockRunner::note_step() {
  for (size_t i = 0; i < states_.size(); ++i) {
    const Warp::AwaitedPhase& awaited = warps_[i].warp().awaited;
    if (states_[i] == State::ready && awaited.is_any) {
      timeline_->set(i, lens::Doing::waits_for_phase, awaited.mbarrier);
    } else if (states_[i] != State::exited) {
      const bool runs = states_[i] == State::ready && !warps_[i].warp().awaits_grid;
      timeline_->set(i, runs ? lens::Doing::runs : lens::Doing::waits_at_barrier);
    }
  }
  timeline_->end_step();
  ++steps_;
  if (timeline_->is_full()) keep_timeline();
}

// Also after a fault: the timeline then shows how it came about.
void BlockRunner::keep_timeline() {
  if (timeline_) context_.worker->device().timelines.add(*timeline_);
  timeline_.reset();
  context_.timeline = nullptr;
}

// Gives the warp its turn. Returns false if it only polled for changes by others.
bool BlockRunner::run_warp(size_t i) {
  WarpRunner& warp = warps_[i];
  LaunchState& launch = context_.worker->launch;
  const uint64_t changes = warp.warp().changes;
  context_.worker->at_work = &warp.warp();
  try {
    const uint64_t turns = timeline_           ? 1
                           : launch.turns_left ? TURNS_OF_A_WARP_IN_AN_EXCERPT
                                               : TURNS_OF_A_WARP;
    const Pause pause = warp.run(turns, !timeline_ || steps_ % STEPS_OF_A_SLICE == 0);
    if (pause == Pause::exited) states_[i] = State::exited;
    if (pause == Pause::at_barrier)
      states_[i] = warp.barrier().barrier == BarrierKind::cluster_wait ? State::at_cluster
                                                                       : State::at_barrier;
    if (pause == Pause::out_of_time) out_of_time_ = true;
    const bool changed = warp.warp().changes != changes;
    if (changed) launch.changes.fetch_add(1, std::memory_order_relaxed);
    if (const std::optional<FaultKind> stop = launch.must_stop()) throw describe_stop(*stop, warp);
    return changed || pause != Pause::waiting;
  } catch (const WarpFault& fault) {
    throw complete(fault, warp.warp());
  }
}

bool BlockRunner::stuck() const {
  for (size_t i = 0; i < warps_.size(); ++i) {
    if (states_[i] == State::ready && !warps_[i].repeats()) return false;
  }
  return true;
}

bool BlockRunner::waits_for_cluster() const {
  const auto any = [&](State state) { return std::ranges::find(states_, state) != states_.end(); };
  return any(State::at_cluster) && !any(State::ready);
}

Fault BlockRunner::describe_wait(FaultKind kind) const {
  if (waits_for_cluster()) {
    const auto at = std::ranges::find(states_, State::at_cluster) - states_.begin();
    const WarpRunner& warp = warps_[static_cast<size_t>(at)];
    const ClusterContext& cluster = *context_.cluster;
    return complete(WarpFault{{.kind = FaultKind::barrier_divergence,
                               .cluster_threads = {cluster.arrivals, cluster.live}},
                              std::countr_zero(warp.warp().active),
                              warp.barrier().instruction},
                    warp.warp());
  }
  const WarpRunner* waiting = &warps_.front();
  for (size_t i = warps_.size(); i-- > 0;) {
    if (states_[i] == State::ready) waiting = &warps_[i];
  }
  // A warp without its registers may be the reason for the other waits.
  for (size_t i = warps_.size(); i-- > 0;) {
    if (warps_[i].warp().awaited_registers != 0) waiting = &warps_[i];
  }
  return complete(describe_stop(kind, *waiting), waiting->warp());
}

// Returns a fault of the whole launch that ends it during this warp's turn.
WarpFault BlockRunner::describe_stop(FaultKind kind, const WarpRunner& warp) const {
  const uint32_t active = warp.warp().active;
  const int lane = active != 0 ? std::countr_zero(active) : 0;
  if (kind == FaultKind::endless_wait && warp.warp().awaited_registers != 0)
    return {
        {.kind = kind, .registers = wanted_registers(warp.warp())}, lane, warp.next_instruction()};
  if (kind == FaultKind::endless_wait && warp.warp().awaits_grid) {
    const GridBarrier& grid = context_.worker->launch.grid;
    return {{.kind = kind, .grid_blocks = {grid.arrived(), grid.blocks()}},
            lane,
            warp.next_instruction()};
  }
  const Warp::AwaitedPhase& awaited = warp.warp().awaited;
  if (kind != FaultKind::endless_wait || !awaited.is_any)
    return {{.kind = kind}, lane, warp.next_instruction()};
  return {
      {.kind = kind, .phase = phase_at(warp.warp(), awaited.mbarrier)}, lane, awaited.instruction};
}

// Returns the registers that all warps want, if `waiting` waits for some.
Fault::Registers BlockRunner::wanted_registers(const Warp& waiting) const {
  Fault::Registers registers{.asked = waiting.awaited_registers,
                             .at_launch = context_.registers.at_launch,
                             .threads_at_launch = static_cast<uint32_t>(warps_.size() * WARP)};
  for (const WarpRunner& warp : warps_) {
    const uint32_t share = std::max(warp.warp().register_share, warp.warp().awaited_registers);
    registers.wanted += uint64_t{share} * WARP;
  }
  return registers;
}

// Releases the warps whose barrier has all the threads that it waits for. Returns true if there were any. Threads
// that have exited are not waited for, as on a device since Volta.
bool BlockRunner::release_barriers() {
  std::map<uint32_t, std::vector<size_t>> waiting;
  uint32_t live = 0;
  bool any_ready = false;
  bool any_released = false;
  for (size_t i = 0; i < warps_.size(); ++i) {
    if (states_[i] == State::exited) continue;
    live += static_cast<uint32_t>(std::popcount(warps_[i].lanes()));
    if (states_[i] == State::at_cluster) any_released |= release_from_cluster(i);
    any_ready |= states_[i] == State::ready || states_[i] == State::at_cluster;
    if (states_[i] == State::at_barrier) waiting[warps_[i].barrier_id() % BARRIERS].push_back(i);
  }
  for (const auto& [id, warps] : waiting) {
    bool arrived_only = false;
    uint32_t present = arrivals_[id];
    for (const size_t i : warps) {
      // bar.arrive does not wait.
      if (warps_[i].barrier().barrier == BarrierKind::arrive) {
        arrivals_[id] += WARP;
        if (hazards_)
          passed_by_[id].emplace_back(static_cast<uint32_t>(i), hazards_->order.pass_by());
        warps_[i].pass_barrier(0);
        states_[i] = State::ready;
        arrived_only = true;
        continue;
      }
      present += static_cast<uint32_t>(std::popcount(warps_[i].lanes()));
    }
    any_released |= arrived_only;
    if (arrived_only) continue;
    const uint32_t expected = warps_[warps.front()].barrier_threads();
    if (present < (expected == 0 ? live : expected)) continue;
    release(id, warps);
    any_released = true;
  }
  if (any_released || any_ready || waiting.empty()) return any_released;
  const WarpRunner& warp = warps_[waiting.begin()->second.front()];
  throw complete(WarpFault{{.kind = FaultKind::barrier_divergence},
                           std::countr_zero(warp.warp().active),
                           warp.barrier().instruction},
                 warp.warp());
}

// Lets a warp pass the cluster's barrier if all threads have arrived since its lanes did. Returns true if it passes.
bool BlockRunner::release_from_cluster(size_t i) {
  WarpRunner& warp = warps_[i];
  const uint32_t lanes = warp.lanes();
  if ((context_.arrived[i] & lanes) != 0) return false;
  if (hazards_) {
    check_cluster_wait(warp.warp(), warp.barrier().instruction, lanes & ~context_.unwaited[i]);
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      hazards_->order.pass_cluster(warp.warp().first_thread + lane);
    }
  }
  context_.unwaited[i] &= ~lanes;
  warp.pass_barrier(0);
  states_[i] = State::ready;
  return true;
}

BarrierUse BlockRunner::use_of(const WarpRunner& warp) {
  const BarrierKind kind = warp.barrier().barrier;
  return {warp.warp(), warp.barrier().instruction, warp.barrier_id() % BARRIERS,
          warp.barrier_threads(), kind != BarrierKind::sync && kind != BarrierKind::arrive};
}

void BlockRunner::release(uint32_t id, const std::vector<size_t>& arrived) {
  uint32_t votes = 0;
  uint32_t threads = 0;
  const WarpRunner& first = warps_[arrived.front()];
  for (const size_t i : arrived) {
    if (hazards_) check_barrier(use_of(warps_[i]), use_of(first));
    threads += static_cast<uint32_t>(std::popcount(warps_[i].lanes()));
    const BarrierKind kind = warps_[i].barrier().barrier;
    if (kind != BarrierKind::sync)
      votes += static_cast<uint32_t>(std::popcount(warps_[i].barrier_votes()));
  }
  arrivals_[id] = 0;
  if (hazards_) note_meeting(id, arrived);
  for (const size_t i : arrived) {
    const bool all = warps_[i].barrier().barrier == BarrierKind::reduce_and;
    warps_[i].pass_barrier(all ? static_cast<uint32_t>(votes == threads) : votes);
    states_[i] = State::ready;
  }
}

// Records that the warps waiting at a barrier met.
void BlockRunner::note_meeting(uint32_t id, const std::vector<size_t>& arrived) {
  if (warps_[arrived.front()].barrier_threads() == 0)
    return hazards_->meet(warps_[arrived.front()].barrier().instruction);
  hazards_->order.meet(std::vector<uint32_t>(arrived.begin(), arrived.end()), passed_by_[id]);
  passed_by_[id].clear();
}

Fault BlockRunner::complete(const WarpFault& fault, const Warp& warp) const {
  const uint32_t thread = warp.first_thread + static_cast<uint32_t>(fault.lane);
  const SourceInstruction& source = program_.sources[fault.instruction];
  Fault complete = fault.fault;
  complete.kernel = program_.demangled;
  complete.where = source.where;
  complete.instruction = source.text;
  complete.target = program_.target;
  if (complete.obstacle == Obstacle{}) complete.obstacle = source.obstacle;
  complete.block = context_.block;
  complete.thread = thread_at(context_.block_size, thread);
  complete.action = action_of(source.facts);
  complete.bytes = uint32_t{source.facts.bytes} * source.facts.count;
  return complete;
}

END_LEVEL
