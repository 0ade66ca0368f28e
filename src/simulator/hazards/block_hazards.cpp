#include "simulator/hazards/block_hazards.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "simulator/hazards/describe.hpp"

namespace simulator {
namespace {

template <typename Each>
void for_each_lane(uint32_t active, Each each) {
  for (; active != 0; active &= active - 1) each(static_cast<uint32_t>(std::countr_zero(active)));
}

bool reads(Access access) {
  return access == Access::global_load || access == Access::shared_load ||
         access == Access::global_atomic || access == Access::shared_atomic ||
         access == Access::async_copy || access == Access::matrix_load;
}

bool writes(Access access) {
  return access == Access::global_store || access == Access::shared_store ||
         access == Access::global_atomic || access == Access::shared_atomic;
}

// True if the program has copies to shared memory that an mbarrier counts.
bool copies_to_shared(const Program& program) {
  return std::any_of(program.sources.begin(), program.sources.end(), [](const auto& source) {
    return source.facts.family == Family::bulk_copy && source.facts.space == Space::shared;
  });
}

// Waits for a copy, as advice.
constexpr const char* WAIT_OF_EACH_THREAD =
    "each thread that uses the bytes waits for the phase of the copy's mbarrier";
constexpr const char* WAIT_IN_RECEIVER =
    "the block that receives the bytes waits for the phase of the copy's mbarrier, and then "
    "cluster.sync()";
constexpr const char* WAIT_OF_COPIER =
    "cp.async.bulk.wait_group.read 0 by the thread that copies, then ";

const char* name_of_bulk_copy(const Facts& facts) {
  return facts.is_bulk_reduction() ? "cp.reduce.async.bulk" : "cp.async.bulk";
}

}  // namespace

BlockHazards::BlockHazards(HazardContext& launch, Dim3 grid, Dim3 block_size, size_t shared_bytes,
                           size_t local_bytes)
    : launch_(launch),
      grid_(grid),
      block_size_(block_size),
      local_bytes_(local_bytes),
      cells_((shared_bytes + launch.unit - 1) / launch.unit),
      local_written_(local_bytes * block_size.count()),
      sources_(block_size.count()) {}

void BlockHazards::start(uint64_t number, const std::vector<uint64_t>& cluster) {
  number_ = number;
  last_barrier_ = 0;
  users_.clear();
  has_ended_ = false;
  order.start(cluster, static_cast<uint32_t>(block_size_.count()), launch_.messages, launch_.grid);
  const uint64_t warps = (block_size_.count() + WARP - 1) / WARP;
  left_.assign(warps, 0);
  stored_.assign(warps, 0);
  cells_.clear();
  std::fill(local_written_.begin(), local_written_.end(), false);
  if (pending_ > 0) {
    for (std::vector<Source>& sources : sources_) sources.clear();
  }
  pending_ = 0;
  warpgroups_.assign((warps + Warpgroup::WARPS - 1) / Warpgroup::WARPS, {});
  if (order.rank() == 0) {
    const uint32_t threads = order.cluster().copies(0);  // those of the whole cluster
    data_fences_.start(threads);
    mbarrier_fences_.start(threads);
  }
}

void BlockHazards::access(const WarpAccess& access) {
  // A release tells others of all that the thread did before it, as a fence does.
  const Facts& facts = launch_.program.sources[access.instruction].facts;
  if (facts.order == Order::release || facts.order == Order::acquire_release)
    order.fence(access.warp, access.active, facts.scope != Scope::block);
  if (is_shared(access.access)) {
    shared(access);
  } else if (is_local(access.access)) {
    local(access);
  } else if (access.access != Access::constant_load) {
    global(access);
  }
}

// Returns the value of one cell.
uint32_t BlockHazards::value_at(const std::byte* bytes, uint32_t width) const {
  uint32_t value = 0;
  std::memcpy(&value, bytes, std::min(launch_.unit, width));
  return value;
}

// --- order --------------------------------------------------------------------------------------------

bool BlockHazards::is_after(uint32_t thread, const Toucher& other) const {
  const ClusterOrder& cluster = order.cluster();
  const uint32_t me = order.in_cluster(thread);
  const std::optional<uint32_t> rank = cluster.rank_of_block(other.block);
  return rank ? cluster.is_after(me, cluster.number_of(*rank, other.thread), other.time)
              : cluster.is_after(me, other.block, other.thread, other.time);
}

// True if two accesses may meet in any order: both are atomics, or volatile accesses of threads in different
// warps, which watch each other on purpose. Lanes of a warp once ran in lockstep, and old programs rely on
// volatile for it.
bool BlockHazards::may_meet(const Side& a, const Side& b, uint64_t address, bool is_shared) const {
  const Strength first = launch_.strength_of(a.instruction);
  const Strength second = launch_.strength_of(b.instruction);
  if (first == Strength::weak || second == Strength::weak) return false;
  if (first == Strength::atomic || second == Strength::atomic) return true;
  const bool same_warp = a.block == b.block && a.thread / WARP == b.thread / WARP;
  return !same_warp || order.is_message(address, is_shared);
}

// True if the first access was an atomic or similar to a variable that carries messages, and the thread has
// learned of it, or of a later one. For example, the thread that draws the last ticket may reset the counter with
// a plain store.
bool BlockHazards::was_told(const Side& first, uint32_t thread, Time then, uint64_t address,
                            bool is_shared) const {
  if (launch_.strength_of(first.instruction) == Strength::weak ||
      !order.cluster().is_after_telling(order.in_cluster(thread), first.block, first.thread, then))
    return false;
  // The place may be a byte in the middle of the variable.
  return order.is_message(address, is_shared) ||
         order.is_message(address & ~uint64_t{3}, is_shared) ||
         order.is_message(address & ~uint64_t{7}, is_shared);
}

// --- shared memory ------------------------------------------------------------------------------------

// True if an access neither carries messages nor is atomic. A volatile access is ordinary as long as no thread has a message to
// tell.
bool BlockHazards::is_ordinary(const WarpAccess& access) const {
  const Strength strength = launch_.strength_of(access.instruction);
  return strength == Strength::weak ||
         (strength == Strength::strong && reads(access.access) != writes(access.access) &&
          order.is_silent(is_shared(access.access)));
}

// Returns the values that a store writes, one for each cell of each lane. Returns nullptr if they are not known.
const uint32_t* BlockHazards::cell_values(const WarpAccess& access) {
  if (access.values == nullptr) return nullptr;
  const uint32_t bytes = access.bytes * WARP;
  cell_values_.resize(bytes / launch_.unit);
  if (launch_.unit == 4) {
    std::memcpy(cell_values_.data(), access.values, bytes);
  } else {
    for (uint32_t i = 0; i < bytes; ++i)
      cell_values_[i] = std::to_integer<uint32_t>(access.values[i]);
  }
  return cell_values_.data();
}

void BlockHazards::shared(const WarpAccess& access) {
  if (writes(access.access)) stored_[access.warp] |= access.active;
  const auto address = [&](uint32_t lane) {
    return access.first + static_cast<uint64_t>(access.distance[lane]);
  };
  const std::optional<WarpKnowledge> known = order.common_knowledge(access.warp);
  const bool has_ranks =
      (access.first + static_cast<uint64_t>(access.lowest)) >> CLUSTER_RANK_SHIFT != 0;
  if (!known || has_ranks || !is_ordinary(access)) {
    for_each_lane(access.active, [&](uint32_t lane) { shared_lane(access, lane, address(lane)); });
    return;
  }
  const uint32_t thread = access.warp * WARP;
  const CellAccess cells{.me = {order.now(), access.instruction, thread},
                         .thread = thread,
                         .known = *known,
                         .cells = access.bytes / launch_.unit,
                         .writes = writes(access.access)};
  const uint32_t* const values = cell_values(access);
  // Neighbouring lanes with one stride, or that read one place, go together.
  for (uint32_t rest = access.active; rest != 0;) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const uint64_t at = address(lane);
    uint32_t count = 1;
    int64_t step = 0;
    if (access.shape == Pattern::Shape::contiguous) {
      count = WARP;
      step = access.bytes;
    } else if (access.shape == Pattern::Shape::uniform) {
      count = cells.writes ? 1 : WARP - lane;
    } else if (lane + 1 < WARP) {
      step = access.distance[lane + 1] - access.distance[lane];
      const bool is_stretch =
          step == 0 ? !cells.writes : std::abs(step) >= access.bytes && step % launch_.unit == 0;
      while (is_stretch && lane + count < WARP && (rest >> (lane + count) & 1u) != 0 &&
             access.distance[lane + count] - access.distance[lane + count - 1] == step)
        ++count;
    }
    const uint32_t lanes = rest & (count == WARP ? ~0u : ((1u << count) - 1) << lane);
    rest &= ~lanes;
    const size_t first = at / launch_.unit;
    const auto values_of = [&](uint32_t of) {
      return values == nullptr ? nullptr : values + size_t{of} * cells.cells;
    };
    // A few lanes far from each other are faster one by one.
    const bool is_together = step == access.bytes || step == 0 ? count > 1 : count > 3;
    const bool is_noted =
        is_together &&
        (step == 0 ? cells_.read_place(cells, first, lanes)
                   : cells_.touch_row(cells, lane, count, first,
                                      step / static_cast<int64_t>(launch_.unit), values_of(lane)));
    if (is_noted) continue;
    for_each_lane(lanes, [&](uint32_t each) {
      const uint64_t own = address(each);
      if (!cells_.touch_one(cells, each, own / launch_.unit, values_of(each)))
        shared_lane(access, each, own);
    });
  }
}

void BlockHazards::shared_lane(const WarpAccess& access, uint32_t lane, uint64_t offset) {
  Step step{access.instruction, access.warp * WARP + lane, reads(access.access),
            writes(access.access), std::nullopt};
  const bool is_strong = launch_.strength_of(step.instruction) != Strength::weak;
  note_use(step.instruction, step.thread, offset);
  if (is_strong && step.reads) order.listen(step.thread, offset, true);
  if (is_strong && step.writes) order.tell(step.thread, offset, true);
  // True if no byte is written: structures and vectors may have gaps.
  bool is_unwritten = step.reads;
  for (uint64_t at = offset; at < offset + access.bytes; at += launch_.unit) {
    const SharedCells::Cell cell = cell_at(at);
    is_unwritten &= !cell.is_written() && cell.rare.copy == 0;
    if (access.values != nullptr)
      step.value =
          value_at(access.values + size_t{lane} * access.bytes + (at - offset), access.bytes);
    shared_step(cell, step, at);
  }
  if (is_unwritten) report_unwritten(step.instruction, step.thread, offset, Access::shared_load);
}

void BlockHazards::shared_step(const SharedCells::Cell& cell, const Step& step, uint64_t at) {
  const uint32_t thread = order.in_cluster(step.thread);
  const Touch me{order.now(), step.instruction, thread};
  if (cell.rare.copy != 0) {
    report_early(side_of(cell.rare.copy - 1, cell.rare.copier, true),
                 {step.instruction, number_, step.thread, step.writes}, at, false);
  } else if (!step.writes || step.value != cell.value ||
             cell.write.instruction() != step.instruction) {
    check_shared(cell.write, true, step, at);
  }
  if (step.writes) {
    check_late_reads(cell, step, at);
    check_shared(cell.read, false, step, at);
    check_shared(cell.other_read, false, step, at);
    cell.set_write(me);
    cell.value = step.value.value_or(0);
  } else if (!cell.read.is_somebody() ||
             order.is_after(thread, cell.read.thread(), cell.read.time())) {
    cell.read = me;
  } else {
    cell.other_read = me;
  }
}

// Reports a race between `before`, which wrote or read the place, and `step`, if there is one.
void BlockHazards::check_shared(Touch before, bool wrote, const Step& step, uint64_t at) {
  if (!before.is_somebody() ||
      order.is_after(order.in_cluster(step.thread), before.thread(), before.time()))
    return;
  const Side first = side_of(before.instruction(), before.thread(), wrote);
  const Side second{step.instruction, number_, step.thread, step.writes};
  if (may_meet(first, second, at, true) || was_told(first, step.thread, before.time(), at, true))
    return;
  report_race(first, second, at, true, 1);
}

// --- cp.async -----------------------------------------------------------------------------------------

void BlockHazards::copy_begins(const ThreadCopy& copy) {
  // One thread requests a bulk copy for all.
  if (!is_counted_copy(launch_.program.sources[copy.instruction].facts))
    stored_[copy.thread / WARP] |= 1u << copy.thread % WARP;
  const Step write{copy.instruction, copy.thread, false, true, std::nullopt};
  for (uint64_t at = copy.target; at < copy.target + copy.bytes; at += launch_.unit) {
    const SharedCells::Cell cell = cell_at(at);
    if (cell.rare.copy != 0) {
      report_early(side_of(cell.rare.copy - 1, cell.rare.copier, true),
                   {copy.instruction, number_, copy.thread, true}, at, false);
    } else {
      check_shared(cell.write, true, write, at);
    }
    check_late_reads(cell, write, at);
    check_shared(cell.read, false, write, at);
    check_shared(cell.other_read, false, write, at);
    cell.rare.copy = copy.instruction + 1;
    cell.rare.copier = static_cast<uint16_t>(order.in_cluster(copy.thread));
    cell.note_busy();
  }
  if (owner_of(copy.target).has_ended_) report_ended(copy.instruction, copy.thread, copy.target);
  const uint64_t first = copy.source;
  const uint64_t past_end = first + copy.source_bytes;
  sources_[copy.thread].push_back({first, past_end, copy.instruction, copy.target});
  lowest_source_ = pending_ == 0 ? first : std::min(lowest_source_, first);
  highest_source_ = pending_ == 0 ? past_end : std::max(highest_source_, past_end);
  ++pending_;
  touch_global_range({copy.instruction, copy.thread, true, false, std::nullopt}, first,
                     copy.source_bytes);
}

void BlockHazards::copy_lands(uint32_t instruction, uint32_t thread, uint64_t target,
                              uint32_t bytes) {
  copy_lands_by(order.in_cluster(thread), instruction, thread, target, bytes);
}

// Records that a copy, which the thread requested, landed. `writer` is the thread, or the block's copies.
void BlockHazards::copy_lands_by(uint32_t writer, uint32_t instruction, uint32_t thread,
                                 uint64_t target, uint64_t bytes) {
  for (uint64_t at = target; at < target + bytes; at += launch_.unit) {
    const SharedCells::Cell cell = cell_at(at);
    cell.rare.copy = 0;
    cell.set_write({order.now(), instruction, writer, true});
    cell.read = cell.other_read = {};
  }
  std::vector<Source>& sources = sources_[thread];
  const auto done = std::find_if(sources.begin(), sources.end(), [&](const Source& s) {
    return s.instruction == instruction && s.target == target;
  });
  if (done == sources.end()) return;
  sources.erase(done);
  --pending_;
}

// Reports copies whose source `step` overwrites before they land.
void BlockHazards::check_sources(const Step& step, uint64_t first, uint64_t past_end) {
  if (first >= highest_source_ || past_end <= lowest_source_) return;
  for (uint32_t thread = 0; thread < sources_.size(); ++thread) {
    for (const Source& source : sources_[thread]) {
      if (first < source.past_end && source.first < past_end)
        report_early({source.instruction, number_, thread, false},
                     {step.instruction, number_, step.thread, true}, first, true);
    }
  }
}

// --- cp.async.bulk and mbarriers -----------------------------------------------------------------------

void BlockHazards::bulk_row_lands(uint32_t instruction, uint32_t thread, uint64_t target,
                                  uint64_t bytes, uint64_t mbarrier) {
  copy_lands_by(owner_of(mbarrier).order.copies(), instruction, thread, target, bytes);
}

void BlockHazards::bulk_load_is_counted(uint64_t mbarrier) {
  order.count_copies(owner_of(mbarrier).order.rank(), mbarrier);
}

// The read ends in the place of the copies: its requester learns of the end only by a wait for the mbarrier.
void BlockHazards::copy_has_read(uint32_t instruction, uint32_t thread, uint64_t source,
                                 uint64_t bytes, uint64_t mbarrier) {
  const uint32_t copies = owner_of(mbarrier).order.copies();
  const uint32_t requester = order.in_cluster(thread);
  const Touch end{order.now(), instruction, copies};
  for (uint64_t at = source; at < source + bytes; at += launch_.unit) {
    const SharedCells::Cell cell = cell_at(at);
    if (cell.rare.late_reads > 0) --cell.rare.late_reads;
    cell.note_busy();
    const bool is_first = cell.read.is_somebody() && cell.read.instruction() == instruction &&
                          cell.read.thread() == requester;
    (is_first ? cell.read : cell.other_read) = end;
  }
  if (&owner_of(mbarrier) != this) users_[copies] = {order.now(), instruction, source};
}

void BlockHazards::late_read_begins(uint32_t instruction, uint32_t thread, uint64_t source,
                                    uint64_t bytes) {
  const Step read{instruction, thread, true, false, std::nullopt};
  const uint32_t reader = order.in_cluster(thread);
  Touch fenced;                   // the last write that a fence covers
  bool is_unwritten = bytes > 0;  // True if no byte is written
  bool is_unfenced = false;
  for (uint64_t at = source; at < source + bytes; at += launch_.unit) {
    const SharedCells::Cell cell = cell_at(at);
    is_unwritten &= !cell.is_written() && cell.rare.copy == 0;
    shared_step(cell, read, at);
    ++cell.rare.late_reads;
    cell.rare.late_reader = instruction;
    cell.rare.late_thread = static_cast<uint16_t>(thread);
    cell.note_busy();
    const Touch write = cell.write;
    const bool is_known = write.thread() == fenced.thread() && write.time() == fenced.time();
    if (!cell.is_stored() || is_known || is_unfenced) continue;
    // A store that the reader does not know of is a race, whether or not there is a fence.
    if (!order.is_after(reader, write.thread(), write.time())) continue;
    is_unfenced =
        !cluster_fences().data_fences_.cover(order.cluster(), write.thread(), write.time(), reader);
    if (is_unfenced) report_unfenced(cell, read, at);
    fenced = write;
  }
  if (is_unwritten) report_unwritten(instruction, thread, source, Access::shared_load);
}

void BlockHazards::late_read_ends(uint32_t instruction, uint32_t thread, uint64_t source,
                                  uint64_t bytes) {
  const uint32_t reader = order.in_cluster(thread);
  for (uint64_t at = source; at < source + bytes; at += launch_.unit) {
    const SharedCells::Cell cell = cell_at(at);
    if (cell.rare.late_reads > 0) --cell.rare.late_reads;
    cell.note_busy();
    for (Touch* const read : {&cell.read, &cell.other_read}) {
      const bool is_mine = read->instruction() == instruction && read->thread() == reader;
      if (read->is_somebody() && is_mine) *read = {order.now(), instruction, reader};
    }
  }
}

void BlockHazards::bulk_store_lands(uint32_t instruction, uint32_t thread, uint64_t target,
                                    uint64_t bytes, bool reduces) {
  touch_global_range({instruction, thread, reduces, true, std::nullopt}, target, bytes);
}

// Reports bulk stores and products whose source `step` overwrites before they have read it.
void BlockHazards::check_late_reads(const SharedCells::Cell& cell, const Step& step, uint64_t at) {
  if (cell.rare.late_reads == 0) return;
  report_early({cell.rare.late_reader, owner_of(at).number_, cell.rare.late_thread, false},
               {step.instruction, number_, step.thread, true}, at, true);
}

void BlockHazards::mbarrier_begins(uint32_t instruction, uint32_t thread, uint64_t at) {
  const Step write{instruction, thread, false, true, std::nullopt};
  for (uint64_t byte = at; byte < at + sizeof(uint64_t); byte += launch_.unit)
    shared_step(cell_at(byte), write, byte);
}

void BlockHazards::mbarrier_is_used(uint32_t instruction, uint32_t thread, uint64_t at) {
  const Step read{instruction, thread, true, false, std::nullopt};
  note_use(instruction, thread, at);
  check_shared(cell_at(at).write, true, read, at);
}

// --- clusters -----------------------------------------------------------------------------------------

// Returns a side of a message for a thread of the cluster, or for a block's copies.
BlockHazards::Side BlockHazards::side_of(uint32_t instruction, uint32_t thread, bool writes) const {
  const ClusterOrder& cluster = order.cluster();
  const uint32_t rank = cluster.rank_of(thread);
  const uint32_t first = cluster.number_of(rank, 0);
  const uint32_t own =
      thread >= cluster.copies(0) ? static_cast<uint32_t>(block_size_.count()) : thread - first;
  return {instruction, cluster.block_at(rank), own, writes};
}

// Records an access, if it is to another block's shared memory. That block must not end before it.
void BlockHazards::note_use(uint32_t instruction, uint32_t thread, uint64_t address) {
  BlockHazards& owner = owner_of(address);
  if (&owner == this) return;
  owner.users_[order.in_cluster(thread)] = {order.now(), instruction,
                                            address & CLUSTER_OFFSET_MASK};
  if (owner.has_ended_) report_ended(instruction, thread, address);
}

void BlockHazards::end() {
  has_ended_ = true;
  end_warpgroups();
  const auto threads = static_cast<uint32_t>(block_size_.count());
  for (const auto& [user, use] : users_) {
    bool is_known = false;
    for (uint32_t thread = 0; thread < threads && !is_known; ++thread)
      is_known = order.is_after(order.in_cluster(thread), user, use.time);
    if (is_known) continue;
    const Side side = side_of(use.instruction, user, false);
    blocks_[order.cluster().rank_of(user)]->report_ended(use.instruction, side.thread,
                                                         cluster_address(order.rank(), use.offset));
  }
}

void BlockHazards::report_ended(uint32_t instruction, uint32_t thread, uint64_t address) {
  launch_.found.add(hazard_key(HazardKind::ended_block, launch_.line_of(instruction)),
                    {number_, address, thread},
                    [&] { return describe_ended(instruction, thread, address); });
}

Hazard BlockHazards::describe_ended(uint32_t instruction, uint32_t thread, uint64_t address) const {
  Hazard hazard = hazard_at(HazardKind::ended_block, launch_.program, instruction);
  hazard.message.what = launch_.program.demangled +
                        " uses the shared memory of a block that may have ended: nothing makes "
                        "that block of the cluster wait";
  hazard.message.where = line(instruction) + " in " + launch_.program.demangled + ": " +
                         name_of({instruction, number_, thread, false}, true) + ", " +
                         place(address, true);
  hazard.message.advice =
      "cluster.sync() before the block ends, in all threads of the cluster, after the last access "
      "to another block's shared memory";
  return hazard;
}

void BlockHazards::mbarrier_counts_copy(uint32_t instruction, uint32_t thread, uint64_t at) {
  const SharedCells::Cell cell = cell_at(at);
  if (cell.is_stored() &&
      !cluster_fences().mbarrier_fences_.cover(order.cluster(), cell.write.thread(),
                                               cell.write.time(), order.in_cluster(thread)))
    report_unfenced(cell, {instruction, thread, false, false, std::nullopt}, at);
}

void BlockHazards::proxy_fence(uint32_t warp, uint32_t lanes, bool for_mbarriers) {
  for_each_lane(lanes, [&](uint32_t lane) {
    const uint32_t thread = order.in_cluster(warp * WARP + lane);
    std::vector<Time> known = order.cluster().known_to(thread);
    BlockHazards& of_cluster = cluster_fences();
    if (!for_mbarriers) of_cluster.data_fences_.pass(thread, order.now(), known);
    of_cluster.mbarrier_fences_.pass(thread, order.now(), std::move(known));
  });
  order.pass_by();  // what a thread does later has a later time
}

void BlockHazards::misused_mbarrier(uint32_t instruction, uint32_t thread, uint64_t at) {
  launch_.found.add(hazard_key(HazardKind::misused_mbarrier, launch_.line_of(instruction)),
                    {number_, at, thread},
                    [&] { return describe_misuse(instruction, thread, at); });
}

void BlockHazards::unawaited_copy(uint32_t instruction, uint32_t thread, uint64_t at) {
  launch_.found.add(hazard_key(HazardKind::unawaited_copy, launch_.line_of(instruction)),
                    {number_, at, thread},
                    [&] { return describe_unawaited(instruction, thread, at); });
}

Hazard BlockHazards::describe_misuse(uint32_t instruction, uint32_t thread, uint64_t at) const {
  Hazard hazard = hazard_at(HazardKind::misused_mbarrier, launch_.program, instruction);
  hazard.message.what =
      launch_.program.demangled + " waits for a state that no arrival at an mbarrier returned";
  hazard.message.where =
      place_of(launch_.program, instruction, block_of(number_), thread_at(block_size_, thread)) +
      ", " + place(at, true);
  hazard.message.advice = "keep the result of mbarrier.arrive, or wait for a parity";
  return hazard;
}

Hazard BlockHazards::describe_unawaited(uint32_t instruction, uint32_t thread, uint64_t at) const {
  Hazard hazard = hazard_at(HazardKind::unawaited_copy, launch_.program, instruction);
  hazard.message.what =
      launch_.program.demangled + " ends while a bulk copy still uses its shared memory";
  hazard.message.where =
      place_of(launch_.program, instruction, block_of(number_), thread_at(block_size_, thread)) +
      ", " + place(at, true);
  const Facts& facts = launch_.program.sources[instruction].facts;
  if (facts.space == Space::shared && facts.from == Space::shared) {
    hazard.message.advice = std::string("wait before the block ends: ") + WAIT_IN_RECEIVER;
  } else {
    hazard.message.advice =
        "wait before the thread returns: for the copy's mbarrier, or with cp.async.bulk.wait_group "
        "0";
  }
  return hazard;
}

// --- wgmma --------------------------------------------------------------------------------------------

void BlockHazards::warpgroup_step(uint32_t instruction, uint32_t warp) {
  Warpgroup& group = warpgroups_[warp / Warpgroup::WARPS];
  if (group.is_split) return;
  const WarpgroupStep mine{instruction, warp};
  const uint64_t step = group.done[warp % Warpgroup::WARPS]++ - group.first;
  if (step == group.steps.size()) {
    group.steps.push_back(mine);
  } else if (launch_.line_of(group.steps[step].instruction) != launch_.line_of(instruction)) {
    return report_split(group, group.steps[step], mine);
  }
  while (*std::min_element(group.done.begin(), group.done.end()) > group.first) {
    group.steps.pop_front();
    ++group.first;
  }
}

void BlockHazards::end_warpgroups() {
  for (uint32_t i = 0; i < warpgroups_.size(); ++i) {
    Warpgroup& group = warpgroups_[i];
    if (group.is_split || group.steps.empty()) continue;
    const auto last = std::min_element(group.done.begin(), group.done.end()) - group.done.begin();
    const WarpgroupStep& missed = group.steps.front();
    report_split(group, missed,
                 {missed.instruction, i * Warpgroup::WARPS + static_cast<uint32_t>(last)});
  }
}

void BlockHazards::report_split(Warpgroup& group, const WarpgroupStep& one,
                                const WarpgroupStep& other) {
  group.is_split = true;
  const uint32_t a = launch_.line_of(one.instruction), b = launch_.line_of(other.instruction);
  launch_.found.add(hazard_key(HazardKind::split_warpgroup, std::min(a, b), std::max(a, b)),
                    {number_, 0, other.warp * WARP}, [&] { return describe_split(one, other); });
}

void BlockHazards::unfenced_register(uint32_t product, uint32_t thread,
                                     std::optional<uint32_t> writer) {
  launch_.found.add(hazard_key(HazardKind::missing_fence, launch_.line_of(product),
                               launch_.line_of(writer.value_or(product))),
                    {number_, 0, thread},
                    [&] { return describe_unfenced_register(product, thread, writer); });
}

void BlockHazards::early_register(uint32_t product, uint32_t user, uint32_t thread,
                                  RegisterMistake mistake) {
  launch_.found.add(
      hazard_key(HazardKind::early_use, launch_.line_of(product), launch_.line_of(user)),
      {number_, 0, thread},
      [&] { return describe_early_register(product, user, thread, mistake); });
}

// Describes two warps that part. If both instructions are the same, the other warp never executes it.
Hazard BlockHazards::describe_split(const WarpgroupStep& one, const WarpgroupStep& other) const {
  Hazard hazard = hazard_between(HazardKind::split_warpgroup, launch_.program, one.instruction,
                                 other.instruction);
  const auto name = [](const WarpgroupStep& step) {
    return "warp " + std::to_string(step.warp % Warpgroup::WARPS) + " of the four";
  };
  const uint32_t first = other.warp / Warpgroup::WARPS * Warpgroup::WARPS * WARP;
  hazard.message.what = "the warps of a warpgroup part at wgmma in " + launch_.program.demangled;
  hazard.message.where = line(one.instruction) + " (" + name(one) + "), ";
  hazard.message.where += one.instruction == other.instruction
                              ? name(other) + " never executes it, or fewer times"
                              : line(other.instruction) + " (" + name(other) + ")";
  hazard.message.where += ", warpgroup of " + thread_name(first) + ", " + block_name(number_);
  hazard.message.advice =
      "let all four warps (128 threads, from a multiple of 128 on) execute the same wgmma, "
      "wgmma.fence, commit_group and wait_group: no branch on the warp or the thread around them";
  return hazard;
}

Hazard BlockHazards::describe_unfenced_register(uint32_t product, uint32_t thread,
                                                std::optional<uint32_t> writer) const {
  Hazard hazard =
      hazard_between(HazardKind::missing_fence, launch_.program, product, writer.value_or(product));
  hazard.message.what = "wgmma.fence is missing in " + launch_.program.demangled + ": ";
  if (writer) {
    hazard.message.what += "wgmma uses a register that was written after the last fence";
    hazard.message.where = line(*writer) + " writes, " + line(product) + " multiplies (" +
                           thread_name(thread) + "), " + block_name(number_);
    hazard.message.advice =
        "wgmma.fence.sync.aligned between " + line(*writer) + " and " + line(product);
  } else {
    hazard.message.what += "there is none before its first wgmma";
    hazard.message.where =
        place_of(launch_.program, product, block_of(number_), thread_at(block_size_, thread));
    hazard.message.advice = "wgmma.fence.sync.aligned before " + line(product);
  }
  return hazard;
}

Hazard BlockHazards::describe_early_register(uint32_t product, uint32_t user, uint32_t thread,
                                             RegisterMistake mistake) const {
  Hazard hazard = hazard_between(HazardKind::early_use, launch_.program, product, user);
  hazard.message.what = "wgmma is not waited for in " + launch_.program.demangled + ": ";
  switch (mistake) {
    case RegisterMistake::reads_result:
      hazard.message.what += "its result is read";
      break;
    case RegisterMistake::writes_result:
      hazard.message.what += "its result is overwritten";
      break;
    case RegisterMistake::writes_factor:
      hazard.message.what += "a register with elements of its A is overwritten";
      break;
  }
  hazard.message.what += " before the product is done";
  hazard.message.where = line(product) + " multiplies, " + line(user) +
                         (mistake == RegisterMistake::reads_result ? " reads" : " writes") +
                         " the register (" + thread_name(thread) + "), " + block_name(number_);
  hazard.message.advice =
      "wait for it before " + line(user) +
      ": wgmma.wait_group.sync.aligned 0 (N leaves the last N groups under way)";
  return hazard;
}

Hazard BlockHazards::describe_unfenced(Touch write, const Step& user, uint64_t at) const {
  Hazard hazard = hazard_between(HazardKind::missing_fence, launch_.program, user.instruction,
                                 write.instruction());
  const Facts& facts = launch_.program.sources[user.instruction].facts;
  const std::string name = facts.family == Family::warpgroup ? "wgmma" : name_of_bulk_copy(facts);
  hazard.message.what = user.reads ? "fence.proxy.async is missing in " : "a fence is missing in ";
  hazard.message.what += launch_.program.demangled + ": " + name +
                         (user.reads ? " reads shared memory that a thread has written"
                                     : " uses an mbarrier that a thread has initialised");
  hazard.message.where =
      line(write.instruction()) + (user.reads ? " writes (" : " initialises (") +
      thread_name(side_of(write.instruction(), write.thread(), true).thread) + "), " +
      line(user.instruction) + (facts.family == Family::warpgroup ? " multiplies (" : " copies (") +
      thread_name(user.thread) + "), " + block_name(number_) + ", " + place(at, true);
  hazard.message.advice = std::string(user.reads ? "fence.proxy.async.shared::cta"
                                                 : "fence.mbarrier_init.release.cluster") +
                          " by the thread of " + line(write.instruction()) +
                          " after it, and then a barrier before " + line(user.instruction);
  return hazard;
}

// --- local memory -------------------------------------------------------------------------------------

void BlockHazards::local(const WarpAccess& access) {
  const bool is_write = access.access == Access::local_store;
  // A structure passed by value is copied whole, with gaps and members that have no value yet.
  if (!is_write && launch_.program.sources[access.instruction].is_handed_on) return;
  for_each_lane(access.active, [&](uint32_t lane) {
    const uint32_t thread = access.warp * WARP + lane;
    const uint64_t offset = access.first + static_cast<uint64_t>(access.distance[lane]);
    const auto first =
        local_written_.begin() + static_cast<std::ptrdiff_t>(thread * local_bytes_ + offset);
    if (is_write) {
      std::fill(first, first + access.bytes, true);
    } else if (std::find(first, first + access.bytes, true) == first + access.bytes) {
      report_unwritten(access.instruction, thread, offset, access.access);
    }
  });
}

// --- global memory ------------------------------------------------------------------------------------

BufferShadow* BlockHazards::buffer_at(uint64_t address, uint64_t past_end) {
  for (BufferShadow* const buffer : recent_) {
    if (buffer != nullptr && buffer->contains(address, past_end)) return buffer;
  }
  const Allocation* const allocation = launch_.memory.find(address);
  if (allocation == nullptr) return nullptr;
  BufferShadow* const buffer = &launch_.shadow.of(*allocation);
  if (!buffer->contains(address, past_end)) return nullptr;
  recent_[next_recent_] = buffer;
  next_recent_ = (next_recent_ + 1) % recent_.size();
  return buffer;
}

void BlockHazards::global(const WarpAccess& access) {
  const bool is_read = reads(access.access);
  const bool is_write = writes(access.access);
  const bool is_strong = launch_.strength_of(access.instruction) != Strength::weak;
  BufferShadow* const all = buffer_at(access.first + static_cast<uint64_t>(access.lowest),
                                      access.first + static_cast<uint64_t>(access.highest));
  if (all != nullptr && !is_write && !is_strong && all->is_only_read(launch_.number))
    return only_read(access, *all);
  // If lanes read one place, the first and the last stand for all.
  uint32_t lanes = access.active;
  if (access.shape == Pattern::Shape::uniform && is_read && !is_write && !is_strong)
    lanes = std::bit_floor(lanes) | (lanes & -lanes);
  // Runs count as weak. So where it matters if an access is, they hold weak accesses alone.
  if (all != nullptr && is_ordinary(access) && !(is_strong && keeps_earlier(*all))) {
    if (const auto known = order.common_knowledge(access.warp))
      return global_groups(access, lanes, *known, *all);
  }
  LineLock lock;
  for_each_lane(lanes, [&](uint32_t lane) {
    const uint64_t address = access.first + static_cast<uint64_t>(access.distance[lane]);
    BufferShadow* const buffer = all != nullptr ? all : buffer_at(address, address + access.bytes);
    if (buffer == nullptr) return;
    const uint32_t thread = access.warp * WARP + lane;
    Line* const line = buffer->line(address, launch_.unit);
    lock.take(line);
    if (is_strong && is_read) order.listen(thread, address, false);
    if (is_strong && is_write) order.tell(thread, address, false);
    const std::byte* const values =
        access.values == nullptr ? nullptr : access.values + size_t{lane} * access.bytes;
    const Step step{access.instruction, thread, is_read, is_write, std::nullopt};
    note_bytes(step, address, access.bytes, *buffer);
    if (line != nullptr) touch_cells(step, address, access.bytes, values, *buffer, *line);
  });
}

// Notes reads of a buffer that no thread of the launch writes.
void BlockHazards::only_read(const WarpAccess& access, BufferShadow& buffer) {
  const uint64_t first = access.first + static_cast<uint64_t>(access.lowest);
  const uint64_t past_end = access.first + static_cast<uint64_t>(access.highest);
  buffer.note(launch_.number, false);
  if (buffer.is_written(first, past_end)) return;
  for_each_lane(access.active, [&](uint32_t lane) {
    const uint64_t address = access.first + static_cast<uint64_t>(access.distance[lane]);
    note_bytes({access.instruction, access.warp * WARP + lane, true, false, std::nullopt}, address,
               access.bytes, buffer);
  });
}

void BlockHazards::texels_are_read(uint32_t instruction, uint32_t warp, uint32_t lanes,
                                   uint64_t base, const std::array<uint64_t, WARP>& offsets,
                                   uint32_t bytes) {
  if (lanes == 0) return;
  if (bytes % launch_.unit != 0) {  // narrower than a cell
    for_each_lane(lanes, [&](uint32_t lane) {
      touch_global_range({instruction, warp * WARP + lane, true, false, std::nullopt},
                         base + offsets[lane], bytes);
    });
    return;
  }
  std::array<int64_t, WARP> distance{};
  WarpAccess access{.instruction = instruction,
                    .access = Access::global_load,
                    .bytes = bytes,
                    .active = lanes,
                    .warp = warp,
                    .first = base,
                    .distance = distance,
                    .shape = Pattern::Shape::scattered};
  access.lowest = std::numeric_limits<int64_t>::max();
  for_each_lane(lanes, [&](uint32_t lane) {
    distance[lane] = static_cast<int64_t>(offsets[lane]);
    access.lowest = std::min(access.lowest, distance[lane]);
    access.highest = std::max(access.highest, distance[lane] + bytes);
  });
  global(access);
}

// Notes a warp's accesses line by line: all lanes that go through a line with one stride at once.
void BlockHazards::global_groups(const WarpAccess& access, uint32_t lanes,
                                 const WarpKnowledge& known, BufferShadow& buffer) {
  const uint32_t unit = launch_.unit;
  const int unit_shift = std::countr_zero(unit);
  const uint32_t width = access.bytes >> unit_shift;
  const uint64_t line_bytes = uint64_t{Line::CELLS} * unit;
  const uint32_t first_thread = access.warp * WARP;
  const uint32_t own_cells = width == WARP ? ~0u : (1u << width) - 1;
  Run run =
      run_of({access.instruction, first_thread, reads(access.access), writes(access.access), {}});
  while (lanes != 0) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    const uint64_t address = access.first + static_cast<uint64_t>(access.distance[lane]);
    const uint32_t cell = BufferShadow::cell_of(address, unit);
    // The next lanes, as long as they go on with the same stride in the line.
    uint32_t count = 1, stride = width;
    run.cells = own_cells << cell;
    if (access.shape == Pattern::Shape::contiguous) {
      count = std::min(WARP - lane, (Line::CELLS - cell) / width);
      run.cells = count * width == WARP ? ~0u : ((1u << (count * width)) - 1) << cell;
    } else if (lane + 1 < WARP && (lanes >> (lane + 1) & 1u) != 0) {
      const int64_t step = access.distance[lane + 1] - access.distance[lane];
      stride = static_cast<uint32_t>(step) >> unit_shift;
      const bool is_map = step > 0 && step < static_cast<int64_t>(line_bytes) &&
                          (step & (unit - 1)) == 0 && stride >= width;
      while (is_map && lane + count < WARP && (lanes >> (lane + count) & 1u) != 0 &&
             access.distance[lane + count] - access.distance[lane + count - 1] == step &&
             cell + count * stride + width <= Line::CELLS) {
        run.cells |= own_cells << (cell + count * stride);
        ++count;
      }
    }
    run.threads =
        ThreadMap::from(first_thread + lane, cell, count == 1 ? ThreadMap::ONE_THREAD : stride);
    touch_group(access, lane, count, run, known, buffer);
    lanes &= count == WARP ? 0 : ~(((1u << count) - 1) << lane);
  }
}

// Notes the accesses of neighbouring lanes to a line.
void BlockHazards::touch_group(const WarpAccess& access, uint32_t first_lane, uint32_t count,
                               const Run& run, const WarpKnowledge& known, BufferShadow& buffer) {
  const auto each = [&](const auto& use) {
    for (uint32_t lane = first_lane; lane < first_lane + count; ++lane)
      use(lane, access.first + static_cast<uint64_t>(access.distance[lane]));
  };
  const auto step_of = [&](uint32_t lane) {
    return Step{access.instruction, access.warp * WARP + lane, run.role == Run::Role::read,
                run.role == Run::Role::write, std::nullopt};
  };
  const auto values_of = [&](uint32_t lane) {
    return access.values == nullptr ? nullptr : access.values + size_t{lane} * access.bytes;
  };
  const uint64_t address = access.first + static_cast<uint64_t>(access.distance[first_lane]);
  const uint64_t past_end =
      access.first + static_cast<uint64_t>(access.distance[first_lane + count - 1]) + access.bytes;
  const bool is_in_one_piece = past_end - address == uint64_t{count} * access.bytes;
  if (run.role == Run::Role::read ? buffer.is_written(address, past_end)
                                  : is_in_one_piece && pending_ == 0) {
    note_bytes(step_of(first_lane), address, past_end - address, buffer);
  } else {
    each([&](uint32_t lane, uint64_t at) { note_bytes(step_of(lane), at, access.bytes, buffer); });
  }
  Line* const line = buffer.line(address, launch_.unit);
  if (line == nullptr) return;
  // A thread that writes notes it in the buffer before it touches the line.
  const bool may_be_settled = run.role == Run::Role::read && !keeps_earlier(buffer) &&
                              buffer.written_in() != launch_.number;
  SettledRead& settled =
      settled_reads_[reinterpret_cast<uintptr_t>(line) / sizeof(Line) % settled_reads_.size()];
  if (may_be_settled && settled.line == line && (run.cells & ~settled.cells) == 0 &&
      run.block > settled.after)
    return;
  LineLock lock;
  lock.take(line);
  const bool is_noted = touch_line(*line, run, known, buffer);
  if (is_noted && may_be_settled) {
    if (const auto after = line->settled_after(run.cells)) settled = {line, run.cells, *after};
  }
  if (!is_noted) {
    each([&](uint32_t lane, uint64_t at) {
      touch_cells(step_of(lane), at, access.bytes, values_of(lane), buffer, *line);
    });
    return;
  }
  if (access.values == nullptr || run.role != Run::Role::write) return;
  std::byte* const values = buffer.values(address, launch_.unit, true);
  if (values == nullptr) return;
  if (is_in_one_piece) {
    std::memcpy(values, values_of(first_lane), past_end - address);
    return;
  }
  each([&](uint32_t lane, uint64_t at) {
    std::memcpy(values + (at - address), values_of(lane), access.bytes);
  });
}

// True if what earlier launches touched still matters: host code or another stream may use the memory too.
bool BlockHazards::keeps_earlier(const BufferShadow& buffer) const {
  return buffer.keeps_earlier() || launch_.has_other_streams();
}

// Notes accesses in the form of runs. Returns false if they belong into the line's cells.
bool BlockHazards::touch_line(Line& line, const Run& run, const WarpKnowledge& known,
                              BufferShadow& buffer) const {
  return launch_.overlap_with(line.last_launch()) == 0 &&
         line.touch(launch_.number, run, known, buffer, keeps_earlier(buffer));
}

// Returns the step as a run of the block, without cells and threads.
Run BlockHazards::run_of(const Step& step) const {
  Run run{};
  run.block = static_cast<uint32_t>(number_);
  run.time = order.now();
  run.instruction = step.instruction;
  run.role = step.writes ? Run::Role::write : Run::Role::read;
  return run;
}

// Notes that bytes are read or written, whoever else touches them.
void BlockHazards::note_bytes(const Step& step, uint64_t address, uint64_t bytes,
                              BufferShadow& buffer) {
  if (step.reads && buffer.is_untouched(address, address + bytes))
    report_unwritten(step.instruction, step.thread, address, Access::global_load);
  if (step.writes) {
    buffer.write(address, address + bytes);
    if (pending_ > 0) check_sources(step, address, address + bytes);
  }
  buffer.note(launch_.number, step.writes);
}

// Notes a thread's access to bytes of a line, cell by cell. The caller has the line's lock.
void BlockHazards::touch_cells(Step step, uint64_t address, uint64_t bytes, const std::byte* values,
                               BufferShadow& buffer, Line& line) {
  const uint32_t unit = launch_.unit;
  const uint64_t start = BufferShadow::line_start(address, unit);
  Cell* const cells = line.cells(launch_.number, buffer, keeps_earlier(buffer),
                                 buffer.values(start, unit, false), unit);
  if (cells == nullptr) return;
  const bool is_weak = launch_.strength_of(step.instruction) == Strength::weak;
  const uint64_t past_end = address + bytes;
  for (uint64_t at = address; at < past_end; at += unit) {
    if (values != nullptr)
      step.value = value_at(values + (at - address), static_cast<uint32_t>(bytes));
    global_step(cells[(at - start) / unit], step, is_weak, at);
  }
}

// Notes a thread's access to many bytes, which lie in several lines.
void BlockHazards::touch_global_range(const Step& step, uint64_t first, uint64_t bytes) {
  if (bytes == 0) return;
  BufferShadow* const buffer = buffer_at(first, first + bytes);
  if (buffer == nullptr) return;
  const uint32_t unit = launch_.unit;
  const auto known =
      step.reads && step.writes ? std::nullopt : order.common_knowledge(step.thread / WARP);
  // A piece of a KiB counts as written if any of its bytes is: copies of whole rows also copy gaps.
  constexpr uint64_t PIECE = 1024;
  for (uint64_t at = first; at < first + bytes;) {
    const uint64_t next = std::min(first + bytes, at + PIECE - (at - buffer->base()) % PIECE);
    note_bytes(step, at, next - at, *buffer);
    at = next;
  }
  if (!step.writes && buffer->is_only_read(launch_.number)) return;
  Run run = run_of(step);
  for (uint64_t at = first; at < first + bytes;) {
    const uint64_t start = BufferShadow::line_start(at, unit);
    const uint64_t next = std::min(first + bytes, start + uint64_t{Line::CELLS} * unit);
    if (Line* const line = buffer->line(at, unit)) {
      LineLock lock;
      lock.take(line);
      const auto cell = static_cast<uint32_t>((at - start) / unit);
      const auto count = static_cast<uint32_t>((next - at + unit - 1) / unit);
      // Neighbouring threads often copy neighbouring pieces.
      const bool is_piece = bytes < uint64_t{Line::CELLS} * unit;
      run.cells = (count == Line::CELLS ? ~0u : (1u << count) - 1) << cell;
      run.threads = ThreadMap::from(step.thread, cell, is_piece ? count : ThreadMap::ONE_THREAD);
      if (!known || !touch_line(*line, run, *known, *buffer))
        touch_cells(step, at, next - at, nullptr, *buffer, *line);
    }
    at = next;
  }
}

// Begins a place's life in this launch. Compares it with what an unordered launch of another stream did to it.
void BlockHazards::first_step(Cell& cell, const Step& step, bool is_weak, uint64_t at) {
  const uint16_t overlap = launch_.overlap_with(cell.launch);
  const bool is_message = !cell.is_weak && !is_weak;
  const bool wrote = cell.write.is_somebody();
  if (overlap != 0 && !is_message && (wrote || step.writes))
    launch_.note_conflict(overlap, at, wrote, step.writes);
  const bool only_read = overlap != 0 && cell.is_weak && !wrote && !step.writes;
  cell = {};
  cell.launch = launch_.number;
  if (only_read) cell.overlapped = overlap;
}

void BlockHazards::global_step(Cell& cell, const Step& step, bool is_weak, uint64_t at) {
  if (cell.launch != launch_.number) first_step(cell, step, is_weak, at);
  cell.is_weak |= is_weak;
  if (step.writes && cell.overlapped != 0)
    launch_.note_conflict(std::exchange(cell.overlapped, uint16_t{0}), at, false, true);
  Toucher me;
  me.block = static_cast<uint32_t>(number_);
  me.time = std::min(order.now(), Toucher::LAST_TIME);
  me.thread = me.also = step.thread;
  me.instruction = step.instruction;
  if (!step.writes || step.value != cell.value || cell.write.instruction != step.instruction)
    check_global(cell, cell.write, true, step, at);
  if (!step.writes) return note_read(cell, me);
  check_global(cell, cell.read, false, step, at);
  check_global(cell, cell.second_read, false, step, at);
  if (!cell.write.is_somebody() || me.block <= cell.write.block ||
      is_after(step.thread, cell.write)) {
    cell.write = me;
    cell.value = step.value.value_or(0);
  }
}

// In global memory a place counts once, because the number of races met there depends on the host's threads.
void BlockHazards::check_global(Cell& cell, const Toucher& before, bool wrote, const Step& step,
                                uint64_t at) {
  if (!before.is_somebody()) return;
  const auto check = [&](uint32_t thread) {
    Toucher one = before;
    one.thread = thread;
    if (is_after(step.thread, one)) return;
    const Side first{before.instruction, before.block, thread, wrote};
    const Side second{step.instruction, number_, step.thread, step.writes};
    if (may_meet(first, second, at, false) || was_told(first, step.thread, before.time, at, false))
      return;
    report_race(first, second, at, false, cell.is_counted ? 0 : 1);
    cell.is_counted = true;
  };
  check(before.thread);
  if (before.also != before.thread) check(before.also);
}

void BlockHazards::note_read(Cell& cell, const Toucher& me) const {
  for (Toucher* const read : {&cell.read, &cell.second_read}) {
    if (!read->is_somebody() || read->block != me.block) continue;
    if (is_after(me.thread, *read)) {
      *read = me;
    } else if (read->instruction == me.instruction) {
      read->also = me.thread;
    }
    return;
  }
  if (!cell.read.is_somebody() || is_after(me.thread, cell.read)) {
    cell.read = me;
  } else if (me.block < cell.read.block) {
    cell.second_read = cell.read;
    cell.read = me;
  } else if (!cell.second_read.is_somebody() || me.block < cell.second_read.block ||
             is_after(me.thread, cell.second_read)) {
    cell.second_read = me;
  }
}

// --- messages -----------------------------------------------------------------------------------------

Dim3 BlockHazards::block_of(uint64_t number) const {
  return {static_cast<uint32_t>(number % grid_.x),
          static_cast<uint32_t>(number / grid_.x % grid_.y),
          static_cast<uint32_t>(number / grid_.x / grid_.y)};
}

std::string BlockHazards::block_name(uint64_t block) const {
  return "block " + triple(block_of(block));
}

std::string BlockHazards::thread_name(uint32_t thread) const {
  return "thread " + triple(thread_at(block_size_, thread));
}

bool BlockHazards::is_copy(const Side& side) const {
  return is_counted_copy(launch_.program.sources[side.instruction].facts);
}

// Returns "thread (0, 1, 0)", "the tensor copy", or "the tensor copy of thread (0, 1, 0)".
std::string BlockHazards::name_of(const Side& side, bool with_block) const {
  const std::string of_block = with_block ? " of " + block_name(side.block) : "";
  if (!is_copy(side)) return thread_name(side.thread) + of_block;
  const std::string copy = copy_name(launch_.program.sources[side.instruction].facts);
  if (side.thread == block_size_.count())
    return "the " + copy + (with_block ? " to " + block_name(side.block) : "");
  return "the " + copy + " of " + thread_name(side.thread) + of_block;
}

std::string BlockHazards::line(uint32_t instruction) const {
  return line_of(launch_.program, instruction);
}

// True if an address in shared memory leads to another block of the cluster.
bool BlockHazards::is_in_other_block(uint64_t address) const {
  const uint64_t rank = address >> CLUSTER_RANK_SHIFT;
  return rank != 0 && rank - 1 != order.rank();
}

std::string BlockHazards::place(uint64_t address, bool is_shared) const {
  if (is_shared) {
    const uint64_t rank = address >> CLUSTER_RANK_SHIFT;
    const std::string at = shared_place(launch_.program, address & CLUSTER_OFFSET_MASK);
    return is_in_other_block(address) ? at + " of " + block_name(order.cluster().block_at(rank - 1))
                                      : at;
  }
  const Allocation* const allocation = launch_.memory.find(address);
  if (allocation == nullptr) return "global memory";
  return "byte " + std::to_string(address - allocation->base) + " of " +
         launch_.memory.name_of(allocation->id);
}

// True if `instruction` comes before `other` on the way from the last barrier, possibly round the loop. The order
// of execution says little: one thread may have run ahead.
bool BlockHazards::comes_first(uint32_t instruction, uint32_t other) const {
  return launch_.comes_first(last_barrier_, instruction, other);
}

void BlockHazards::report_race(const Side& first, const Side& second, uint64_t address,
                               bool is_shared, uint64_t times) {
  const uint32_t a = launch_.line_of(first.instruction);
  const uint32_t b = launch_.line_of(second.instruction);
  const bool same_block = first.block == second.block;
  const bool same_warp = same_block && first.thread / WARP == second.thread / WARP;
  // Rank on the same lines: blocks before warps before lanes, and a lost write before a wrong read.
  Sighting at{std::min(first.block, second.block), address, second.thread};
  at.rank = (same_warp ? 4u : same_block ? 2u : 0u) + (first.writes && second.writes ? 0u : 1u);
  launch_.found.add(
      hazard_key(HazardKind::race, std::min(a, b), std::max(a, b)), at,
      [&] { return describe_race(first, second, address, is_shared); }, times);
}

void BlockHazards::report_unwritten(uint32_t instruction, uint32_t thread, uint64_t address,
                                    Access access) {
  launch_.found.add(hazard_key(HazardKind::unwritten_read, launch_.line_of(instruction)),
                    {number_, address, thread},
                    [&] { return describe_unwritten(instruction, thread, address, access); });
}

// A copy that does not read the place counts its bytes there: it is an mbarrier.
void BlockHazards::report_unfenced(const SharedCells::Cell& cell, const Step& user, uint64_t at) {
  launch_.found.add(hazard_key(HazardKind::missing_fence, launch_.line_of(cell.write.instruction()),
                               launch_.line_of(user.instruction)),
                    {number_, at, user.thread},
                    [&] { return describe_unfenced(cell.write, user, at); });
}

void BlockHazards::report_early(const Side& copier, const Side& user, uint64_t address,
                                bool is_source) {
  launch_.found.add(hazard_key(HazardKind::early_use, launch_.line_of(copier.instruction),
                               launch_.line_of(user.instruction)),
                    {number_, address, user.thread},
                    [&] { return describe_early(copier, user, address, is_source); });
}

Hazard BlockHazards::describe_race(const Side& one, const Side& two, uint64_t address,
                                   bool is_shared) const {
  const bool same_block = one.block == two.block;
  const bool with_copies = is_shared && (is_copy(one) || is_copy(two));
  // Blocks have no order, so the lower block is named first. What orders a copy depends on which access came first: `one` did.
  const bool in_order = with_copies  ? true
                        : same_block ? comes_first(one.instruction, two.instruction)
                                     : one.block < two.block;
  const Side& first = in_order ? one : two;
  const Side& second = in_order ? two : one;
  Hazard hazard =
      hazard_between(HazardKind::race, launch_.program, first.instruction, second.instruction);

  const auto kind = [&](const Side& side) {
    return is_shared && is_copy(side) ? copy_name(launch_.program.sources[side.instruction].facts)
                                      : "thread";
  };
  // "a thread", "a tensor copy", or "another thread" beside a thread
  const auto actor = [&](const Side& side, const Side* before) {
    const bool is_another = before != nullptr && kind(*before) == kind(side);
    return (is_another ? "another " : "a ") + kind(side);
  };
  std::string& what = hazard.message.what;
  what = std::string("race in ") + (is_shared ? "shared" : "global") + " memory in " +
         launch_.program.demangled + ": ";
  if (with_copies && first.writes && second.writes) {
    what += actor(first, nullptr) + " and " + actor(second, &first) +
            " write the same place, and one write is lost";
  } else if (first.writes && second.writes) {
    what += same_block ? "two threads write the same place, and one write is lost"
                       : "two blocks write the same place, and one write is lost";
  } else if (!same_block && !with_copies) {
    what += is_shared ? "a block of the cluster reads memory that another block writes, without "
                        "waiting for it"
                      : "a block reads memory that another block writes, in no fixed order";
  } else {
    what += actor(second, nullptr) + (first.writes ? " reads" : " overwrites") + " memory that " +
            actor(first, &second) + (first.writes ? " writes" : " reads") +
            ", without waiting for the " +
            (with_copies && is_copy(first) ? "copy"
             : first.writes                ? "write"
                                           : "read");
  }

  const auto side = [&](const Side& s) {
    const std::string name =
        is_shared ? name_of(s, !same_block)
                  : thread_name(s.thread) + (same_block ? "" : " of " + block_name(s.block));
    return line(s.instruction) + (s.writes ? " writes (" : " reads (") + name + ")";
  };
  hazard.message.where = side(first) + ", " + side(second);
  if (same_block) hazard.message.where += ", " + block_name(first.block);
  hazard.message.where += ", " + place(address, is_shared);
  hazard.message.advice =
      with_copies ? copy_race_advice(first, second) : race_advice(first, second, is_shared);
  return hazard;
}

// Returns what orders two accesses to shared memory, one of which at least is a copy's.
std::string BlockHazards::copy_race_advice(const Side& first, const Side& second) const {
  const bool same_block = first.block == second.block;
  const std::string here = line(first.instruction), there = line(second.instruction);
  const std::string barrier = same_block ? "a barrier" : "cluster.sync()";
  if (is_copy(first) && first.writes) {
    if (!same_block) return "wait for the copy before " + there + ": " + WAIT_IN_RECEIVER;
    if (!is_copy(second)) return "wait for the copy before " + there + ": " + WAIT_OF_EACH_THREAD;
    return "wait for the first copy before " + there +
           ": the thread of the second copy waits for the phase of the first copy's mbarrier";
  }
  if (is_copy(first)) {
    const bool to_shared = launch_.program.sources[first.instruction].facts.space == Space::shared;
    return "wait for the copy before " + there + ": " +
           (to_shared ? WAIT_IN_RECEIVER : WAIT_OF_COPIER + barrier);
  }
  const std::string meeting = barrier + " or a wait for an mbarrier at which ";
  if (!first.writes) {
    return meeting + "each reader arrives, after " + here + " and before " + there + "; if " +
           here + " is to read the copied bytes, a wait for the copy's mbarrier before it";
  }
  return std::string("fence.proxy.async") + (same_block ? ".shared::cta" : "") +
         " by the thread of " + here + " after it, and then " + meeting +
         "that thread arrives, before " + there;
}

std::string BlockHazards::race_advice(const Side& first, const Side& second, bool is_shared) const {
  const bool same_line = launch_.line_of(first.instruction) == launch_.line_of(second.instruction);
  const bool both_write = first.writes && second.writes;
  if (first.block != second.block && is_shared) {
    return "cluster.sync() between the two accesses, in all threads of the cluster, or a wait for "
           "an "
           "mbarrier at which the other block arrives";
  }
  if (first.block != second.block) {
    if (both_write && same_line) {
      const std::string fence = launch_.has_messages()
                                    ? "__threadfence() before a lock is given back; without one, "
                                    : "";
      return fence +
             "a place of its own for each thread (a grid-stride loop steps by gridDim.x * "
             "blockDim.x), or atomicAdd if several threads add to one place";
    }
    const auto is_atomic = [&](const Side& side) {
      return launch_.program.sources[side.instruction].facts.family == Family::atomic;
    };
    if (is_atomic(first) != is_atomic(second)) {
      const Side& plain = is_atomic(first) ? second : first;
      return plain.writes ? "an atomic write at " + line(plain.instruction) +
                                " too, such as atomicExch, or a kernel of its own for it"
                          : "a volatile or atomic read at " + line(plain.instruction) +
                                ", if any value of the moment will do; the final one is there for "
                                "the next kernel";
    }
    const std::string apart = "write to a second array, or make two kernels";
    return launch_.has_messages()
               ? "__threadfence() before the flag, lock or counter is set; without one, " + apart
               : apart + ": blocks run in any order";
  }
  // In a block with several warps, other warps usually race too, even if the two threads seen are of one warp.
  const bool same_warp = first.thread / WARP == second.thread / WARP;
  const bool one_warp = block_size_.count() <= WARP;
  const std::string barrier = one_warp ? "__syncwarp()" : "__syncthreads()";
  std::string why = ", where all threads of the block pass";
  if (one_warp) {
    why = ", or __syncthreads() where all threads pass; lanes of a warp need not run in step";
  } else if (same_warp && !both_write) {
    why += "; if only lanes of one warp share it, __syncwarp() will do";
  }
  if (!same_line) {
    const SourceLine& here = launch_.program.sources[first.instruction].where;
    const SourceLine& there = launch_.program.sources[second.instruction].where;
    const bool wraps = here.file == there.file && here.line > there.line &&
                       launch_.comes_next_turn(first.instruction, second.instruction);
    // Two threads that write one place usually have a wrong index, and then no barrier helps.
    const std::string apart =
        both_write ? "a place of its own for each thread; if one write is to follow the other, "
                   : "";
    return apart + barrier + (wraps ? " after " : " between ") + line(first.instruction) +
           (wraps ? ", before " : " and ") + line(second.instruction) +
           (wraps ? " of the loop's next turn" : "") + why;
  }
  if (both_write)
    return "a place of its own for each thread, or atomicAdd if several threads add to one place";
  const bool is_next_turn =
      launch_.first_copy_of(second.instruction) < launch_.first_copy_of(first.instruction) &&
      launch_.comes_next_turn(first.instruction, second.instruction);
  if (is_next_turn ||
      launch_.loop_around(first.instruction) == HazardContext::Loop::without_barrier)
    return barrier + " at the end of each turn of the loop" + why;
  if (first.writes) {
    const bool is_copy =
        launch_.program.sources[first.instruction].facts.family == Family::async_copy;
    return barrier + " in " + line(first.instruction) + ", between its " +
           (is_copy ? "wait for the copy" : "write") + " and its read" + why +
           (is_copy ? "; a thread waits for its own copies alone" : "");
  }
  if (!is_shared) return "write to a second array";
  return "read into a variable, " + barrier + ", and then write" + why;
}

Hazard BlockHazards::describe_unwritten(uint32_t instruction, uint32_t thread, uint64_t address,
                                        Access access) const {
  Hazard hazard = hazard_at(HazardKind::unwritten_read, launch_.program, instruction);
  const std::string kernel = launch_.program.demangled;
  std::string memory, advice;
  if (simulator::is_shared(access)) {
    memory = "shared memory";
    advice =
        std::string("let the threads write all of it before any thread reads it") +
        (copies_to_shared(launch_.program) ? ", or wait for the mbarrier of the copy that fills it"
                                           : "") +
        "; it begins with leftovers of other blocks";
  } else if (is_local(access)) {
    memory = "an array of its own";
    advice = "initialise it where it is declared: float sum[4] = {};";
  } else {
    memory = "global memory";
    advice =
        "before the launch, set all bytes (n * sizeof(float)) with cudaMemset or cudaMemcpy; "
        "cudaMalloc does not clear memory";
  }
  hazard.message.what = kernel + " reads " + memory + " that nobody wrote";
  const bool is_filled_by_threads = simulator::is_shared(access) && is_stored_by_threads(address);
  if (const auto [first, count] = left_without_store(); is_filled_by_threads && count > 0) {
    hazard.message.what += ": " + std::to_string(count) + (count == 1 ? " thread" : " threads") +
                           " of the block (" + thread_name(first) + (count == 1 ? ")" : " first)") +
                           " returned before writing to it";
    advice =
        "no early return: keep all threads until the block has filled it; use `if` for elements "
        "beyond the array, and write a value such as 0 in their place";
  }
  hazard.message.where =
      place_of(launch_.program, instruction, block_of(number_), thread_at(block_size_, thread)) +
      ", " +
      (is_local(access) ? "byte " + std::to_string(address) + " of local memory"
                        : place(address, simulator::is_shared(access)));
  if (is_global(access)) hazard.message.where += written_part(address);
  hazard.message.advice = advice;
  return hazard;
}

// True if threads have written to the array at this address, by stores or by cp.async.
bool BlockHazards::is_stored_by_threads(uint64_t address) const {
  const uint64_t rank = address >> CLUSTER_RANK_SHIFT, offset = address & CLUSTER_OFFSET_MASK;
  const SharedCells& cells = rank == 0 ? cells_ : blocks_[rank - 1]->cells_;
  uint64_t first = 0, past_end = cells.size() * launch_.unit;
  if (const SharedVariable* const variable = shared_variable_at(launch_.program, offset)) {
    first = variable->offset;
    past_end = variable->end(past_end);
  }
  const auto family = [&](uint32_t instruction) {
    return launch_.program.sources[instruction].facts.family;
  };
  for (uint64_t at = first; at < past_end; at += launch_.unit) {
    const size_t cell = at / launch_.unit;
    const uint32_t copy = cells.copy_to(cell);
    const bool is_copied = copy != 0 && family(copy - 1) == Family::async_copy;
    const Touch write = cells.last_write(cell);
    const Family writer = write.is_somebody() ? family(write.instruction()) : Family::bulk_copy;
    const bool is_stored = write.is_somebody() && !write.by_copy();
    if (is_copied || writer == Family::async_copy || (is_stored && writer != Family::mbarrier))
      return true;
  }
  return false;
}

std::pair<uint32_t, uint32_t> BlockHazards::left_without_store() const {
  uint32_t first = 0, count = 0;
  bool has_store = false;
  for (uint32_t warp = 0; warp < left_.size(); ++warp) {
    has_store |= stored_[warp] != 0;
    const uint32_t lanes = left_[warp] & ~stored_[warp];
    if (count == 0 && lanes != 0)
      first = warp * WARP + static_cast<uint32_t>(std::countr_zero(lanes));
    count += static_cast<uint32_t>(std::popcount(lanes));
  }
  return {first, has_store ? count : 0};
}

// Returns ", of which the first 8 of 2048 bytes were written" if only the start of the buffer was written.
std::string BlockHazards::written_part(uint64_t address) const {
  const Allocation* const allocation = launch_.memory.find(address);
  if (allocation == nullptr) return "";
  const BufferShadow& buffer = launch_.shadow.of(*allocation);
  const uint64_t written = buffer.written_before_launch();
  if (written == 0) return "";
  return ", of which the first " + std::to_string(written) + " of " +
         std::to_string(buffer.bytes()) + " bytes were written";
}

Hazard BlockHazards::describe_early(const Side& copier, const Side& user, uint64_t address,
                                    bool is_source) const {
  const Facts& facts = launch_.program.sources[copier.instruction].facts;
  const bool is_bulk = facts.family == Family::bulk_copy;
  const bool is_product = facts.family == Family::warpgroup;
  const bool is_load = facts.space == Space::shared;  // its target
  const bool is_store = facts.family == Family::async_store;
  const bool from_shared = is_load && facts.from == Space::shared;
  const bool to_other_block = is_load && !is_source && is_in_other_block(address);
  Hazard hazard =
      hazard_between(HazardKind::early_use, launch_.program, copier.instruction, user.instruction);
  hazard.message.what = std::string(is_product ? "wgmma"
                                    : is_store ? "st.async"
                                    : is_bulk  ? name_of_bulk_copy(facts)
                                               : "cp.async") +
                        " is not waited for in " + launch_.program.demangled + ": " +
                        (is_source     ? "its source is overwritten"
                         : user.writes ? "its destination is written"
                                       : "its destination is read") +
                        (is_product ? " before the product is done" : " before the copy is done");
  hazard.message.where = line(copier.instruction) + (is_product ? " multiplies (" : " copies (") +
                         thread_name(copier.thread) + "), " + line(user.instruction) +
                         (user.writes ? " writes (" : " reads (") + thread_name(user.thread) +
                         "), " + block_name(user.block) + ", " +
                         place(address, from_shared || is_source != is_load);
  hazard.message.advice = "wait for it before " + line(user.instruction) + ": ";
  if (is_product) {
    hazard.message.advice += "wgmma.wait_group.sync.aligned 0 by its warps, then a barrier";
  } else if (!is_bulk && !is_store) {
    hazard.message.advice +=
        "__pipeline_wait_prior(0) (N leaves the last N groups under way), then __syncthreads()";
  } else if (to_other_block || (from_shared && is_source)) {
    hazard.message.advice += WAIT_IN_RECEIVER;
  } else if (is_load) {
    hazard.message.advice += WAIT_OF_EACH_THREAD;
  } else {
    hazard.message.advice += std::string(WAIT_OF_COPIER) + "a barrier";
  }
  return hazard;
}

}  // namespace simulator
