#include "simulator/execute/level/mbarriers.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "simulator/count/timeline.hpp"
#include "simulator/execute/level/addressing.hpp"
#include "simulator/execute/level/async_copies.hpp"
#include "simulator/execute/scalar/float_sums.hpp"
#include "simulator/execute/scalar/half_precision.hpp"
#include "simulator/execute/state/mbarrier.hpp"
#include "simulator/execute/watch/layouts.hpp"
#include "simulator/execute/watch/observer.hpp"
#include "simulator/hazards/describe.hpp"
#include "simulator/memory/tensor_map.hpp"

BEGIN_LEVEL
namespace {

constexpr uint64_t WORD_BYTES = 8;
constexpr uint64_t BULK_ALIGNMENT = 16;  // of both addresses and of the size

uint32_t thread_of(const Warp& w, int lane) { return w.first_thread + static_cast<uint32_t>(lane); }

// Returns a lane's place in the shared memory of the cluster's blocks. Throws WarpFault if it is misaligned, or if its bytes are
// in none.
SharedPlace shared_place(const Warp& w, const Addresses& address, int lane, uint64_t bytes,
                         uint64_t alignment) {
  return place_in_cluster(w, address.of(lane), lane, bytes, alignment);
}

// Returns a lane's offset in its own block's shared memory. Throws WarpFault likewise.
uint64_t shared_offset(const Warp& w, const Addresses& address, int lane, uint64_t bytes,
                       uint64_t alignment) {
  const SharedPlace place = shared_place(w, address, lane, bytes, alignment);
  if (place.block != w.block) {
    throw WarpFault{{.kind = FaultKind::out_of_bounds,
                     .address = place.address(),
                     .place = {.kind = AddressKind::shared, .bytes = w.block->shared_bytes}},
                    lane};
  }
  return place.offset;
}

std::optional<Mbarrier> load_mbarrier(const SharedPlace& at) {
  uint64_t word = 0;
  std::memcpy(&word, at.host(), sizeof word);
  return Mbarrier::from(word);
}

void store_word(Warp& w, const SharedPlace& at, uint64_t word) {
  std::memcpy(at.host(), &word, sizeof word);
  ++w.changes;
}

// One lane's use of an mbarrier, which may be in another block of the cluster.
struct Use {
  Warp& warp;
  uint32_t instruction;
  int lane;
  SharedPlace at;

  BulkCopies& bulk() const { return at.block->bulk; }
  uint64_t address() const { return at.address(); }
  uint32_t thread() const { return thread_of(warp, lane); }
  bool is_watched() const { return Watch::looks_for_hazards(warp); }
  // A device ends the launch.
  [[noreturn]] void fail(MbarrierMisuse misuse) const {
    throw WarpFault{{.kind = FaultKind::misused_mbarrier,
                     .address = at.offset,
                     .place = {.kind = AddressKind::shared, .bytes = warp.block->shared_bytes},
                     .misuse = misuse},
                    lane};
  }
};

// Stores the mbarrier, in its next phase if this one is complete.
void store(const Use& use, Mbarrier mbarrier) {
  if (mbarrier.end_phase()) {
    use.bulk().phases.erase(use.at.offset);
    if (BlockTimeline* const timeline = use.at.block->timeline)
      timeline->complete_phase(use.at.offset);
    if (use.is_watched()) use.warp.block->hazards->order.complete_phase(use.address());
  }
  store_word(use.warp, use.at, mbarrier.word());
}

// Adds to the bytes that the phase still waits for.
void add_bytes(const Use& use, Mbarrier& mbarrier, int64_t bytes) {
  const int64_t sum = mbarrier.bytes + bytes;
  if (sum > Mbarrier::MOST_BYTES || sum < -Mbarrier::MOST_BYTES)
    use.fail(MbarrierMisuse::too_many_bytes);
  mbarrier.bytes = static_cast<int32_t>(sum);
}

void expect_bytes(const Use& use, Mbarrier& mbarrier, int64_t bytes) {
  add_bytes(use, mbarrier, bytes);
  use.bulk().phases[use.at.offset].expected += bytes;
}

// Tells the phase that a copy has brought these bytes.
void bring_bytes(const Use& use, Mbarrier mbarrier, int64_t bytes) {
  add_bytes(use, mbarrier, -bytes);
  use.bulk().phases[use.at.offset].copied += bytes;
  store(use, mbarrier);
}

// Lands the copies that a phase with all its arrivals still lacks. On a device they land by themselves, so the next arrival is
// one of the next phase.
void bring_about(const Use& use, bool parity);
Mbarrier ready_for_arrival(const Use& use, const Mbarrier& mbarrier) {
  if (mbarrier.pending > 0) return mbarrier;
  bring_about(use, mbarrier.parity);
  return load_mbarrier(use.at).value_or(mbarrier);
}

void arrive(const Use& use, Mbarrier mbarrier, uint32_t count) {
  if (count == 0 || count > mbarrier.pending) use.fail(MbarrierMisuse::too_many_arrivals);
  mbarrier.pending -= count;
  if (BlockTimeline* const timeline = use.at.block->timeline;
      timeline != nullptr && use.at.block == use.warp.block)
    timeline->arrive(use.warp.number, use.at.offset);
  if (use.is_watched()) use.warp.block->hazards->order.arrive(use.thread(), use.address());
  store(use, mbarrier);
}

// Makes a deferred arrival: the copies before it land.
void make(const DeferredArrival& arrival) {
  Warp& warp = *arrival.warp;
  land_copies_up_to(warp, arrival.copies, 1u << arrival.lane);
  const Use use{warp, arrival.instruction, arrival.lane, {warp.block, arrival.mbarrier}};
  if (const auto mbarrier = load_mbarrier(use.at)) arrive(use, *mbarrier, 1);
}

// Calls each(offset, bytes) for the neighbouring bytes of a row in shared memory: for all, or piece by piece in a swizzle.
template <typename Each>
void for_each_piece(const SharedRow& row, uint64_t span, Each&& each) {
  if (span == 0) return each(row.offset, row.bytes);
  for (uint64_t at = 0; at < row.bytes; at += BULK_ALIGNMENT)
    each(place_in_row(row.offset, at, span), BULK_ALIGNMENT);
}

// Returns the bytes of shared memory that a row touches, at most.
uint64_t span_of(const SharedRow& row, uint64_t span) { return std::max(row.bytes, span); }

// Reads the source of a copy, if it lies in shared memory.
void read_source(BulkLoad& load) {
  if (!load.source) return;
  const auto [offset, bytes] = *load.source;
  const std::byte* const from = load.requester->shared + offset;
  load.data.assign(from, from + bytes);
  if (load.requester->hazards == nullptr) return;
  BlockHazards& hazards = *load.requester->hazards;
  hazards.copy_has_read(load.instruction, load.thread, offset, bytes,
                        SharedPlace{load.counter, load.mbarrier}.address());
}

void land(const Use& use, BulkLoad& load) {
  read_source(load);
  BlockHazards* const hazards = load.requester->hazards;
  const std::byte* from = load.data.data();
  for (const SharedRow& row : load.rows) {
    if (use.is_watched())
      hazards->bulk_row_lands(load.instruction, load.thread,
                              SharedPlace{load.block, row.offset}.address(),
                              span_of(row, load.span), use.address());
    for_each_piece(row, load.span, [&](uint64_t offset, uint64_t bytes) {
      std::byte* const to = load.block->shared + offset;
      if (load.combine != nullptr) {
        load.combine(to, from);
      } else {
        std::memcpy(to, from, bytes);
      }
      from += bytes;
    });
  }
  if (use.is_watched()) hazards->bulk_load_is_counted(use.address());
  ++use.warp.changes;
}

// Makes the deferred arrivals, and then lands the copies, that a wait for this phase lacks; no more copies than it needs.
void bring_about(const Use& use, bool parity) {
  BulkCopies& bulk = use.bulk();
  const auto phase = [&]() -> std::optional<Mbarrier> {
    const auto mbarrier = load_mbarrier(use.at);
    return mbarrier && mbarrier->parity == parity ? mbarrier : std::nullopt;
  };
  const auto is_here = [&](const auto& pending) { return pending.mbarrier == use.at.offset; };
  const auto due = static_cast<uint64_t>(std::ranges::count_if(bulk.arrivals, is_here));
  if (const auto now = phase(); now && now->pending > 0 && now->pending <= due) {
    for (auto next = bulk.arrivals.begin(); phase() && next != bulk.arrivals.end();) {
      if (!is_here(*next)) {
        ++next;
        continue;
      }
      const DeferredArrival arrival = *next;
      next = bulk.arrivals.erase(next);
      make(arrival);
    }
  }
  for (auto next = bulk.loads.begin(); next != bulk.loads.end();) {
    const auto now = phase();
    if (!now || now->pending > 0) return;
    if (!is_here(*next)) {
      ++next;
      continue;
    }
    BulkLoad load = std::move(*next);
    next = bulk.loads.erase(next);
    land(use, load);
    bring_bytes(use, *now, static_cast<int64_t>(load.bytes()));
  }
}

// Calls each(use) for the active lanes, one after the other.
template <typename Each>
void for_each_use(Warp& w, const Op& op, Each&& each) {
  AddressStorage storage;
  const Addresses address = addresses_of_a(w, op, storage);
  for_each_lane(w.active, [&](int lane) {
    each(Use{w, op.instruction, lane, shared_place(w, address, lane, WORD_BYTES, WORD_BYTES)});
  });
}

// Calls each(use, mbarrier) for the active lanes, one after the other. Throws WarpFault for a place without an mbarrier.
template <typename Each>
void for_each_mbarrier(Warp& w, const Op& op, Each&& each) {
  for_each_use(w, op, [&](const Use& use) {
    if (use.is_watched())
      w.block->hazards->mbarrier_is_used(use.instruction, use.thread(), use.address());
    const std::optional<Mbarrier> mbarrier = load_mbarrier(use.at);
    if (!mbarrier) use.fail(MbarrierMisuse::not_initialised);
    each(use, *mbarrier);
  });
}

void initialise(Warp& w, const Op& op) {
  for_each_use(w, op, [&](const Use& use) {
    const uint32_t arrivals = read<uint32_t>(w, op.b)[use.lane];
    if (arrivals == 0 || arrivals > Mbarrier::MOST_ARRIVALS) use.fail(MbarrierMisuse::bad_count);
    use.bulk().phases.erase(use.at.offset);
    if (w.block->timeline != nullptr)
      w.block->timeline->begin_mbarrier(
          use.at.offset, element_of_shared(w.block->worker->program, use.at.offset, WORD_BYTES));
    if (use.is_watched())
      w.block->hazards->mbarrier_begins(use.instruction, use.thread(), use.address());
    store_word(w, use.at, Mbarrier{.pending = arrivals, .expected = arrivals}.word());
  });
}

void invalidate(Warp& w, const Op& op) {
  for_each_mbarrier(w, op, [&](const Use& use, const Mbarrier&) { store_word(w, use.at, 0); });
}

template <bool EXPECTS_BYTES, bool DROPS>
void arrive_at(Warp& w, const Op& op) {
  const Lanes<uint32_t> value = read<uint32_t>(w, op.b);
  Lanes<uint64_t> states = 0;
  for_each_mbarrier(w, op, [&](const Use& use, const Mbarrier& before) {
    Mbarrier mbarrier = ready_for_arrival(use, before);
    states[use.lane] = mbarrier.word();
    const uint32_t count = EXPECTS_BYTES ? 1 : value[use.lane];
    if (EXPECTS_BYTES) expect_bytes(use, mbarrier, value[use.lane]);
    if (DROPS) mbarrier.expected -= std::min(count, mbarrier.expected);
    arrive(use, mbarrier, count);
  });
  if ((op.extra & HAS_RESULT) != 0) write<uint64_t>(w, op.d, states);
}

void expect_more(Warp& w, const Op& op) {
  const Lanes<uint32_t> value = read<uint32_t>(w, op.b);
  for_each_mbarrier(w, op, [&](const Use& use, const Mbarrier& before) {
    Mbarrier mbarrier = ready_for_arrival(use, before);
    expect_bytes(use, mbarrier, value[use.lane]);
    store(use, mbarrier);
  });
}

void complete_bytes(Warp& w, const Op& op) {
  const Lanes<uint32_t> value = read<uint32_t>(w, op.b);
  for_each_mbarrier(w, op, [&](const Use& use, const Mbarrier& mbarrier) {
    bring_bytes(use, mbarrier, value[use.lane]);
  });
}

// cp.async.mbarrier.arrive. Without .noinc the phase waits for one arrival more.
template <bool IS_COUNTED>
void arrive_after_copies(Warp& w, const Op& op) {
  for_each_mbarrier(w, op, [&](const Use& use, Mbarrier mbarrier) {
    if (!IS_COUNTED) {
      ++mbarrier.pending;
      store_word(w, use.at, mbarrier.word());
    }
    w.block->bulk.arrivals.push_back(
        {&w, use.lane, use.at.offset, w.copies_begun, use.instruction});
  });
}

template <bool BY_PARITY>
void test_wait(Warp& w, const Op& op) {
  uint32_t done = 0;
  w.awaited = {};
  for_each_mbarrier(w, op, [&](const Use& use, Mbarrier mbarrier) {
    bool parity = false;  // of the phase that the lane waits for
    if constexpr (BY_PARITY) {
      parity = (read<uint32_t>(w, op.b)[use.lane] & 1) != 0;
    } else {
      const auto state = Mbarrier::from(read<uint64_t>(w, op.b)[use.lane]);
      if (!state) {
        if (use.is_watched())
          w.block->hazards->misused_mbarrier(use.instruction, use.thread(), use.address());
        return;
      }
      parity = state->parity;
    }
    if (mbarrier.parity == parity) {
      bring_about(use, parity);
      mbarrier = load_mbarrier(use.at).value_or(mbarrier);
    }
    if (mbarrier.parity == parity) {
      w.awaited = {op.instruction, use.at.offset, true};
      return;
    }
    done |= 1u << use.lane;
    if (use.is_watched()) w.block->hazards->order.pass_phase(use.thread(), use.address());
  });
  if ((op.extra & HAS_RESULT) != 0) write_predicate(w, op.d, done);
}

void count_pending(Warp& w, const Op& op) {
  const Lanes<uint64_t> states = read<uint64_t>(w, op.b);
  Lanes<uint32_t> counts = 0;
  for_each_lane(w.active, [&](int lane) {
    const auto state = Mbarrier::from(states[lane]);
    counts[lane] = state ? state->pending : 0;
  });
  if ((op.extra & HAS_RESULT) != 0) write<uint32_t>(w, op.d, counts);
}

// Throws WarpFault for a misaligned address in global memory.
void check_bulk(const Warp& w, uint64_t address, int lane) {
  if (address % BULK_ALIGNMENT == 0) return;
  throw WarpFault{{.kind = FaultKind::misaligned,
                   .address = address,
                   .place = w.block->worker->device().memory.place_of(address),
                   .alignment = BULK_ALIGNMENT},
                  lane};
}

// Returns the bytes that a bulk copy of this size moves: whole pieces. The phase that expects the rest is never complete, as on
// an H200 (test/device/hopper_faults.cu).
uint32_t whole_pieces(uint32_t bytes) { return bytes & ~uint32_t{BULK_ALIGNMENT - 1}; }

void read_source(Warp& w, BulkStore& store) {
  if (store.is_read) return;
  store.is_read = true;
  for (const auto& [source, target, host] : store.rows) {
    for_each_piece(source, store.span, [&](uint64_t offset, uint64_t bytes) {
      const std::byte* const from = w.block->shared + offset;
      store.data.insert(store.data.end(), from, from + bytes);
    });
    if (Watch::looks_for_hazards(w))
      w.block->hazards->late_read_ends(store.instruction, store.thread, source.offset,
                                       span_of(source, store.span));
  }
}

// Combines the elements of global memory with the data, each at once: other blocks may do so at the same time.
template <typename Bits>
void reduce(const BulkStore& store, std::byte* target, const std::byte* data, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes; at += sizeof(Bits)) {
    const std::atomic_ref<Bits> element(*reinterpret_cast<Bits*>(target + at));
    Bits old = element.load(), next = old;
    do {
      next = old;
      store.combine(reinterpret_cast<std::byte*>(&next), data + at);
    } while (!element.compare_exchange_weak(old, next));
  }
}

void write_target(Warp& w, BulkStore& store) {
  read_source(w, store);
  const std::byte* from = store.data.data();
  for (const auto& [source, target, host] : store.rows) {
    if (Watch::looks_for_hazards(w))
      w.block->hazards->bulk_store_lands(store.instruction, store.thread, target, source.bytes,
                                         store.combine != nullptr);
    if (store.combine == nullptr) {
      std::memcpy(host, from, source.bytes);
    } else if (store.element_bytes == sizeof(uint16_t)) {
      reduce<uint16_t>(store, host, from, source.bytes);
    } else if (store.element_bytes == sizeof(uint32_t)) {
      reduce<uint32_t>(store, host, from, source.bytes);
    } else {
      reduce<uint64_t>(store, host, from, source.bytes);
    }
    from += source.bytes;
  }
  store.is_done = true;
  ++w.changes;
}

// Calls each(store) for the active lanes' stores in all groups but each lane's last Op::extra ones.
template <typename Each>
void for_each_due_store(Warp& w, const Op& op, Each&& each) {
  BulkCopies& bulk = w.block->bulk;
  const auto pending = static_cast<uint32_t>(op.extra);
  for (BulkStore& store : bulk.stores) {
    const uint32_t lane = store.thread - w.first_thread;
    const bool is_active = lane < WARP && (w.active >> lane & 1u) != 0;
    if (is_active && uint64_t{store.group} + pending < bulk.groups[store.thread]) each(store);
  }
}

// Requests a load. `sources`: the bytes of each row in global memory.
void begin(Warp& w, int lane, BulkLoad load, const std::vector<TensorRow>& sources) {
  const Use use{w, load.instruction, lane, {load.counter, load.mbarrier}};
  if (!load_mbarrier(use.at)) use.fail(MbarrierMisuse::not_initialised);
  if (use.is_watched())
    w.block->hazards->mbarrier_counts_copy(use.instruction, use.thread(), use.address());
  load.requester = w.block;
  load.thread = thread_of(w, lane);
  // Several red.async to one place may be under way.
  const bool is_watched = use.is_watched() && load.combine == nullptr;
  for (size_t i = 0; is_watched && i < load.rows.size(); ++i) {
    const auto bytes = static_cast<uint32_t>(span_of(load.rows[i], load.span));
    const TensorRow none{};
    const TensorRow& source = i < sources.size() ? sources[i] : none;
    Watch::copy_begins(w, load.instruction, lane,
                       SharedPlace{load.block, load.rows[i].offset}.address(), bytes,
                       source.address, static_cast<uint32_t>(source.bytes));
  }
  if (w.block->timeline != nullptr) w.block->timeline->copy(w.number, load.mbarrier);
  load.counter->bulk.loads.push_back(std::move(load));
}

// Requests a load for each block in the mask, to the same offsets in its shared memory.
void begin_in_each(Warp& w, int lane, const BulkLoad& load, uint32_t ranks,
                   const std::vector<TensorRow>& sources) {
  const std::vector<BlockContext*>& blocks = w.block->cluster->blocks;
  bool is_first = true;
  for (; ranks != 0; ranks &= ranks - 1) {
    const auto rank = static_cast<uint32_t>(std::countr_zero(ranks));
    if (rank >= blocks.size()) {
      throw WarpFault{
          {.kind = FaultKind::out_of_bounds,
           .address = load.rows.empty() ? 0 : load.rows.front().offset,
           .place = {.kind = AddressKind::cluster, .distance = rank, .bytes = blocks.size()}},
          lane};
    }
    BulkLoad one = load;
    one.block = one.counter = blocks[rank];
    begin(w, lane, std::move(one),
          std::exchange(is_first, false) ? sources : std::vector<TensorRow>{});
  }
}

// Requests a load by a lane, also for several blocks if the instruction is a multicast.
void begin(Warp& w, const Op& op, int lane, BulkLoad load, const std::vector<TensorRow>& sources) {
  if ((op.extra & MULTICAST) == 0) return begin(w, lane, std::move(load), sources);
  begin_in_each(w, lane, load, read<uint32_t>(w, op.d)[lane] & 0xffff, sources);
}

// Requests a store.
void begin(Warp& w, int lane, BulkStore store) {
  store.thread = thread_of(w, lane);
  store.group = w.block->bulk.groups[store.thread];
  for (const auto& [source, target, host] : store.rows) {
    if (Watch::looks_for_hazards(w))
      w.block->hazards->late_read_begins(store.instruction, store.thread, source.offset,
                                         span_of(source, store.span));
  }
  if (w.block->timeline != nullptr) w.block->timeline->copy(w.number);
  w.block->bulk.stores.push_back(std::move(store));
}

// --- tensor copies

[[noreturn]] void fail(int lane, const Fault::Tensor& tensor) {
  throw WarpFault{{.kind = FaultKind::bad_tensor_copy, .tensor = tensor}, lane};
}

// Reads a lane's tensor map. It lies in global memory or among the kernel's parameters. Throws WarpFault.
TensorMap map_at(const Warp& w, const Addresses& address, int lane) {
  const uint64_t at = address.of(lane);
  const bool is_parameter = at - PARAMETER_WINDOW < WINDOW_BYTES;
  if (at % TENSOR_MAP_ALIGNMENT != 0) {
    throw WarpFault{
        {.kind = FaultKind::misaligned,
         .address = is_parameter ? at - PARAMETER_WINDOW : at,
         .place = {.kind = is_parameter ? AddressKind::parameters : AddressKind::device},
         .alignment = TENSOR_MAP_ALIGNMENT},
        lane};
  }
  TensorMapWords words;
  if (is_parameter) {
    const uint64_t offset = at - PARAMETER_WINDOW;
    if (offset > w.block->parameter_bytes || sizeof words > w.block->parameter_bytes - offset)
      fail_at_parameters(w, address, lane);
    std::memcpy(words.data(), w.block->parameters + offset, sizeof words);
  } else if (at - LOCAL_WINDOW < WINDOW_BYTES) {
    throw WarpFault{{.kind = FaultKind::out_of_bounds,
                     .address = at - LOCAL_WINDOW,
                     .place = {.kind = AddressKind::local}},
                    lane};
  } else {
    std::memcpy(words.data(), w.block->worker->look_at(lane, at, sizeof words), sizeof words);
  }
  const std::optional<TensorMap> map = TensorMap::from(words);
  if (map && map->interleave != 0 && map->steps[0] != 1) {
    throw WarpFault{{.kind = FaultKind::unknown_instruction, .obstacle = Obstacle::interleave},
                    lane};
  }
  if (!map) fail(lane, {.mistake = TensorMistake::no_map});
  return *map;
}

using Coordinates = std::array<int32_t, TensorMap::MOST_DIMENSIONS>;

// Reads a lane's coordinates. Throws WarpFault if a device refuses them.
Coordinates coordinates_of(const Warp& w, const Op& op, const TensorMap& map, int lane,
                           bool is_store) {
  const std::vector<Slot>& slots = op.lists->c;
  const auto dimensions = static_cast<uint32_t>(slots.size());
  if (dimensions != map.rank) fail(lane, {TensorMistake::other_rank, dimensions, 0, 0, map.rank});
  Coordinates at{};
  for (uint32_t i = 0; i < dimensions; ++i) {
    at[i] = static_cast<int32_t>(read<uint32_t>(w, slots[i])[lane]);
    if (is_store && at[i] < 0) fail(lane, {TensorMistake::negative_store, i, at[i]});
  }
  const int64_t first_byte = int64_t{at[0]} * static_cast<int64_t>(map.unit_bytes());
  if (first_byte % static_cast<int64_t>(BULK_ALIGNMENT) != 0)
    fail(lane, {TensorMistake::uneven_start, 0, at[0], map.element_bytes()});
  return at;
}

// --- st.async, red.async and cp.reduce.async.bulk

using Combine = CombineElement;

template <typename T, auto F>
void combine(std::byte* target, const std::byte* data) {
  T old, value;
  std::memcpy(&old, target, sizeof old);
  std::memcpy(&value, data, sizeof value);
  old = F(old, value);
  std::memcpy(target, &old, sizeof old);
}

template <typename T>
Combine combination_of(Operation operation) {
  switch (operation) {
    case Operation::add:
      return combine<T, [](T old, T b) { return static_cast<T>(old + b); }>;
    case Operation::minimum:
      return combine<T, [](T old, T b) { return std::min(old, b); }>;
    case Operation::maximum:
      return combine<T, [](T old, T b) { return std::max(old, b); }>;
    case Operation::increment:
      return combine<T, [](T old, T b) { return old >= b ? T{0} : static_cast<T>(old + 1); }>;
    case Operation::decrement:
      return combine<T,
                     [](T old, T b) { return old == 0 || old > b ? b : static_cast<T>(old - 1); }>;
    case Operation::logical_and:
      return combine<T, [](T old, T b) { return old & b; }>;
    case Operation::logical_or:
      return combine<T, [](T old, T b) { return old | b; }>;
    case Operation::logical_xor:
      return combine<T, [](T old, T b) { return old ^ b; }>;
    default:
      return nullptr;
  }
}

// Returns the combination of 16-bit numbers.
template <auto ADD, auto SMALLER, auto LARGER>
Combine combination_of_halves(Operation operation) {
  return operation == Operation::add       ? combine<uint16_t, ADD>
         : operation == Operation::minimum ? combine<uint16_t, SMALLER>
         : operation == Operation::maximum ? combine<uint16_t, LARGER>
                                           : nullptr;
}

// Returns the sum, of a type that has no other combination.
template <typename T, auto ADD>
Combine only_sum(Operation operation) {
  return operation == Operation::add ? combine<T, ADD> : nullptr;
}

template <typename Element, int COUNT, Combine (*COMBINATION)(Operation)>
void remote_store(Warp& w, const Op& op) {
  constexpr uint32_t BYTES = sizeof(Element) * COUNT;
  AddressStorage to_storage, mbarrier_storage;
  const Addresses to = addresses_of_a(w, op, to_storage);
  const Addresses mbarrier = addresses_of_e(w, op, mbarrier_storage);
  locate_cluster_shared<Watch, BYTES>(w, op.site(Site::shared), to);
  for_each_lane(w.active, [&](int lane) {
    const SharedPlace target = shared_place(w, to, lane, BYTES, BYTES);
    const SharedPlace counter = shared_place(w, mbarrier, lane, WORD_BYTES, WORD_BYTES);
    BulkLoad load{.block = target.block,
                  .rows = {{target.offset, BYTES}},
                  .counter = counter.block,
                  .mbarrier = counter.offset,
                  .instruction = op.instruction};
    load.data.resize(BYTES);
    for (size_t i = 0; i < COUNT; ++i) {
      const Element value = read<Element>(w, op.lists->d[i])[lane];
      std::memcpy(load.data.data() + i * sizeof value, &value, sizeof value);
    }
    if constexpr (COMBINATION != nullptr)
      load.combine = COMBINATION(w.block->worker->program.sources[op.instruction].facts.operation);
    begin(w, lane, std::move(load), {});
  });
}

void begin_bulk_store(Warp& w, const Op& op, Combine combine, uint32_t element_bytes) {
  AddressStorage to_storage, from_storage;
  const Addresses to = addresses_of_a(w, op, to_storage);
  const Addresses from = addresses_of_b(w, op, from_storage);
  for_each_lane(w.active, [&](int lane) {
    const uint32_t bytes = whole_pieces(read<uint32_t>(w, op.c)[lane]);
    check_bulk(w, to.of(lane), lane);
    const SharedRow source{shared_offset(w, from, lane, bytes, BULK_ALIGNMENT), bytes};
    std::byte* const host =
        w.block->worker->use_in_bulk(op.site(Site::global), lane, to.of(lane), bytes);
    begin(w, lane,
          {.rows = {{source, to.of(lane), host}},
           .instruction = op.instruction,
           .combine = combine,
           .element_bytes = element_bytes});
  });
}

template <typename Element, Combine (*COMBINATION)(Operation)>
void bulk_reduction(Warp& w, const Op& op) {
  const Operation operation = w.block->worker->program.sources[op.instruction].facts.operation;
  begin_bulk_store(w, op, COMBINATION(operation), sizeof(Element));
}

constexpr uint64_t TENSOR_ALIGNMENT = 128;  // of a box in shared memory

// Returns the blocks that receive a load, for the counters.
uint64_t receivers_of(const Warp& w, const Op& op, int lane) {
  if ((op.extra & MULTICAST) == 0) return 1;
  return static_cast<uint64_t>(std::popcount(read<uint32_t>(w, op.d)[lane] & 0xffff));
}

}  // namespace

void bulk_load(Warp& w, const Op& op) {
  AddressStorage to_storage, from_storage, mbarrier_storage;
  const Addresses to = addresses_of_a(w, op, to_storage);
  const Addresses from = addresses_of_b(w, op, from_storage);
  const Addresses mbarrier = addresses_of_e(w, op, mbarrier_storage);
  for_each_lane(w.active, [&](int lane) {
    const uint32_t bytes = whole_pieces(read<uint32_t>(w, op.c)[lane]);
    check_bulk(w, from.of(lane), lane);
    const SharedPlace target = shared_place(w, to, lane, bytes, BULK_ALIGNMENT);
    const SharedPlace counter = shared_place(w, mbarrier, lane, WORD_BYTES, WORD_BYTES);
    BulkLoad load{.block = target.block,
                  .rows = {{target.offset, bytes}},
                  .counter = counter.block,
                  .mbarrier = counter.offset,
                  .instruction = op.instruction};
    const std::byte* const source = w.block->worker->use_in_bulk(
        op.site(Site::global), lane, from.of(lane), bytes,
        {.receivers = receivers_of(w, op, lane),
         .sectors = loaded_sectors(from.of(lane), target.offset, bytes)});
    load.data.assign(source, source + bytes);
    begin(w, op, lane, std::move(load), {{from.of(lane), 0, bytes}});
  });
}

void bulk_store(Warp& w, const Op& op) { begin_bulk_store(w, op, nullptr, 0); }

void tensor_load(Warp& w, const Op& op) {
  AddressStorage to_storage, map_storage, mbarrier_storage;
  const Addresses to = addresses_of_a(w, op, to_storage);
  const Addresses maps = addresses_of_b(w, op, map_storage);
  const Addresses mbarrier = addresses_of_e(w, op, mbarrier_storage);
  for_each_lane(w.active, [&](int lane) {
    const TensorMap map = map_at(w, maps, lane);
    const Coordinates at = coordinates_of(w, op, map, lane, false);
    const uint64_t rows = map.rows(), bytes = map.row_bytes();
    const SharedPlace target = shared_place(w, to, lane, map.shared_bytes(), TENSOR_ALIGNMENT);
    if (records_layouts(w)) [[unlikely]]
      record_box(w, op.instruction, lens::Laid::loaded_box, map, target.offset);
    const SharedPlace counter = shared_place(w, mbarrier, lane, WORD_BYTES, WORD_BYTES);
    BulkLoad load{.block = target.block,
                  .span = map.mixed_bytes(),
                  .counter = counter.block,
                  .mbarrier = counter.offset,
                  .instruction = op.instruction};
    load.data.resize(rows * bytes);
    const std::vector<TensorRow> sources = rows_of(map, at, false);
    BulkUse use{.receivers = receivers_of(w, op, lane)};
    uint64_t filled = 0;
    for (uint64_t i = 0; i < rows; ++i) {
      const uint64_t offset = target.offset + i * map.pitch();
      load.rows.push_back({offset, bytes});
      std::byte* const row = load.data.data() + i * bytes;
      fill_row(map, row);
      filled += filled_sectors(sources[i], offset, bytes);
      const auto& [address, first, inside] = sources[i];
      if (inside == 0) continue;
      use.sectors = loaded_sectors(address, offset + first, inside);
      std::memcpy(row + first,
                  w.block->worker->use_in_bulk(op.site(Site::global), lane, address, inside, use),
                  inside);
      use.is_first = false;
      convert_loaded(map, row + first, inside);
    }
    if (filled != 0) w.block->worker->fill_in_bulk(op.site(Site::global), map.address, filled, use);
    begin(w, op, lane, std::move(load), sources);
  });
}

void copy_to_block(Warp& w, const Op& op) {
  AddressStorage to_storage, from_storage, mbarrier_storage;
  const Addresses to = addresses_of_a(w, op, to_storage);
  const Addresses from = addresses_of_b(w, op, from_storage);
  const Addresses mbarrier = addresses_of_e(w, op, mbarrier_storage);
  for_each_lane(w.active, [&](int lane) {
    const uint32_t bytes = whole_pieces(read<uint32_t>(w, op.c)[lane]);
    const SharedPlace target = shared_place(w, to, lane, bytes, BULK_ALIGNMENT);
    const SharedPlace counter = shared_place(w, mbarrier, lane, WORD_BYTES, WORD_BYTES);
    const SharedRow source{shared_offset(w, from, lane, bytes, BULK_ALIGNMENT), bytes};
    if (Watch::looks_for_hazards(w))
      w.block->hazards->late_read_begins(op.instruction, thread_of(w, lane), source.offset, bytes);
    begin(w, lane,
          {.block = target.block,
           .rows = {{target.offset, bytes}},
           .counter = counter.block,
           .mbarrier = counter.offset,
           .instruction = op.instruction,
           .source = source},
          {});
  });
}

void tensor_store(Warp& w, const Op& op) {
  AddressStorage map_storage, from_storage;
  const Addresses maps = addresses_of_a(w, op, map_storage);
  const Addresses from = addresses_of_b(w, op, from_storage);
  for_each_lane(w.active, [&](int lane) {
    const TensorMap map = map_at(w, maps, lane);
    const Coordinates at = coordinates_of(w, op, map, lane, true);
    const uint64_t source = shared_offset(w, from, lane, map.shared_bytes(), TENSOR_ALIGNMENT);
    if (records_layouts(w)) [[unlikely]]
      record_box(w, op.instruction, lens::Laid::stored_box, map, source);
    BulkStore store{.span = map.mixed_bytes(), .instruction = op.instruction};
    uint64_t i = 0;
    for (const auto& [address, first, bytes] : rows_of(map, at, true)) {
      const uint64_t offset = source + i++ * map.pitch() + first;
      if (bytes == 0) continue;
      std::byte* const host = w.block->worker->use_in_bulk(op.site(Site::global), lane, address,
                                                           bytes, {.is_first = store.rows.empty()});
      store.rows.push_back({{offset, bytes}, address, host});
    }
    begin(w, lane, std::move(store));
  });
}

void commit_bulk_stores(Warp& w, const Op&) {
  for_each_lane(w.active, [&](int lane) { ++w.block->bulk.groups[thread_of(w, lane)]; });
}

void await_bulk_reads(Warp& w, const Op& op) {
  for_each_due_store(w, op, [&](BulkStore& store) { read_source(w, store); });
}

void await_bulk_stores(Warp& w, const Op& op) {
  for_each_due_store(w, op, [&](BulkStore& store) { write_target(w, store); });
  std::erase_if(w.block->bulk.stores, [](const BulkStore& store) { return store.is_done; });
}

void end_bulk_copies(Warp& w, uint32_t lanes) {
  BulkCopies& bulk = w.block->bulk;
  if (bulk.loads.empty() && bulk.stores.empty() && bulk.arrivals.empty()) return;
  std::vector<DeferredArrival> due;
  std::erase_if(bulk.arrivals, [&](const DeferredArrival& arrival) {
    const bool leaves = arrival.warp == &w && (lanes >> arrival.lane & 1u) != 0;
    if (leaves) due.push_back(arrival);
    return leaves;
  });
  for (const DeferredArrival& arrival : due) make(arrival);
  std::erase_if(bulk.stores, [&](BulkStore& store) {
    const uint32_t lane = store.thread - w.first_thread;
    if (lane >= WARP || (lanes >> lane & 1u) == 0) return false;
    if (!store.is_read && Watch::looks_for_hazards(w))
      w.block->hazards->unawaited_copy(store.instruction, store.thread,
                                       store.rows.empty() ? 0 : store.rows.front().source.offset);
    write_target(w, store);
    return true;
  });
}

Fault::Phase phase_at(const Warp& w, uint64_t mbarrier) {
  const auto now = load_mbarrier({w.block, mbarrier});
  if (!now) return {};
  const auto bytes = w.block->bulk.phases.find(mbarrier);
  const PhaseBytes phase = bytes == w.block->bulk.phases.end() ? PhaseBytes{} : bytes->second;
  return {true, now->expected - std::min(now->pending, now->expected), now->expected, phase.copied,
          phase.expected};
}

Execute find_remote_store(std::string_view type, size_t count, Operation operation) {
  const bool is_wide = type.ends_with("64");
  if (!is_wide && !type.ends_with("32")) return nullptr;
  if (operation == Operation::copy) {
    if (is_wide) {
      return count == 1   ? remote_store<uint64_t, 1, nullptr>
             : count == 2 ? remote_store<uint64_t, 2, nullptr>
                          : nullptr;
    }
    return count == 1   ? remote_store<uint32_t, 1, nullptr>
           : count == 2 ? remote_store<uint32_t, 2, nullptr>
           : count == 4 ? remote_store<uint32_t, 4, nullptr>
                        : nullptr;
  }
  if (count != 1 || type.starts_with('f') || combination_of<uint32_t>(operation) == nullptr)
    return nullptr;
  if (type == "s32") return remote_store<uint32_t, 1, combination_of<int32_t>>;
  return is_wide ? remote_store<uint64_t, 1, combination_of<uint64_t>>
                 : remote_store<uint32_t, 1, combination_of<uint32_t>>;
}

// (PTX manual, "cp.reduce.async.bulk", the table of valid combinations.)
Execute find_bulk_reduction(std::string_view type, Operation operation) {
  const bool is_sum = operation == Operation::add;
  const bool is_extreme = operation == Operation::minimum || operation == Operation::maximum;
  const bool counts = operation == Operation::increment || operation == Operation::decrement;
  const bool is_bitwise =
      operation >= Operation::logical_and && operation <= Operation::logical_xor;
  const auto valid = [](bool is_valid, Execute execute) { return is_valid ? execute : nullptr; };
  if (type == "b32") return valid(is_bitwise, bulk_reduction<uint32_t, combination_of<uint32_t>>);
  if (type == "b64") return valid(is_bitwise, bulk_reduction<uint64_t, combination_of<uint64_t>>);
  if (type == "u32")
    return valid(is_sum || is_extreme || counts,
                 bulk_reduction<uint32_t, combination_of<uint32_t>>);
  if (type == "s32")
    return valid(is_sum || is_extreme, bulk_reduction<uint32_t, combination_of<int32_t>>);
  if (type == "u64")
    return valid(is_sum || is_extreme, bulk_reduction<uint64_t, combination_of<uint64_t>>);
  if (type == "s64") return valid(is_extreme, bulk_reduction<uint64_t, combination_of<int64_t>>);
  if (type == "f16")
    return valid(is_sum || is_extreme,
                 bulk_reduction<uint16_t, combination_of_halves<add_f16, smaller_f16, larger_f16>>);
  if (type == "bf16")
    return valid(
        is_sum || is_extreme,
        bulk_reduction<uint16_t, combination_of_halves<add_bf16, smaller_bf16, larger_bf16>>);
  // Subnormal numbers stay, as on an H100; the PTX manual says otherwise.
  if (type == "f32") return valid(is_sum, bulk_reduction<uint32_t, only_sum<float, add_f32>>);
  if (type == "f64") return valid(is_sum, bulk_reduction<uint64_t, only_sum<double, add_f64>>);
  return nullptr;
}

Execute find_mbarrier_instruction(const MbarrierShape& shape) {
  switch (shape.operation) {
    case Operation::initialise:
      return initialise;
    case Operation::invalidate:
      return invalidate;
    case Operation::arrive:
      return shape.expects_bytes ? arrive_at<true, false> : arrive_at<false, false>;
    case Operation::arrive_and_drop:
      return shape.expects_bytes ? arrive_at<true, true> : arrive_at<false, true>;
    case Operation::arrive_after_copies:
      return shape.is_counted ? arrive_after_copies<true> : arrive_after_copies<false>;
    case Operation::expect_bytes:
      return expect_more;
    case Operation::complete_bytes:
      return complete_bytes;
    case Operation::test_wait:
      return shape.by_parity ? test_wait<true> : test_wait<false>;
    case Operation::count_pending:
      return count_pending;
    default:
      return nullptr;
  }
}

END_LEVEL
