#include "simulator/execute/level/mbarriers.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "simulator/execute/level/addressing.hpp"
#include "simulator/execute/level/async_copies.hpp"
#include "simulator/execute/state/mbarrier.hpp"
#include "simulator/execute/watch/observer.hpp"

BEGIN_LEVEL
namespace {

constexpr uint64_t WORD_BYTES = 8;
constexpr uint64_t BULK_ALIGNMENT = 16;  // of both addresses and of the size

uint32_t thread_of(const Warp& w, int lane) { return w.first_thread + static_cast<uint32_t>(lane); }

// Returns a lane's offset in shared memory. Throws WarpFault if it is misaligned, or if its bytes are not in shared memory.
uint64_t shared_offset(const Warp& w, const Addresses& address, int lane, uint64_t bytes,
                       uint64_t alignment) {
  uint64_t at = address.of(lane);
  if (at - SHARED_WINDOW < WINDOW_BYTES) at -= SHARED_WINDOW;
  const uint64_t limit = w.block->shared_bytes;
  const AddressPlace place{.kind = AddressKind::shared, .bytes = limit};
  if (at % alignment != 0) {
    throw WarpFault{{.kind = FaultKind::misaligned,
                     .address = at,
                     .place = place,
                     .alignment = static_cast<uint32_t>(alignment)},
                    lane};
  }
  if (at > limit || bytes > limit - at)
    throw WarpFault{{.kind = FaultKind::out_of_bounds, .address = at, .place = place}, lane};
  return at;
}

std::optional<Mbarrier> load_mbarrier(const Warp& w, uint64_t at) {
  uint64_t word = 0;
  std::memcpy(&word, w.block->shared + at, sizeof word);
  return Mbarrier::from(word);
}

void store_word(Warp& w, uint64_t at, uint64_t word) {
  std::memcpy(w.block->shared + at, &word, sizeof word);
  ++w.changes;
}

// One lane's use of an mbarrier.
struct Use {
  Warp& warp;
  uint32_t instruction;
  int lane;
  uint64_t at;  // in shared memory

  uint32_t thread() const { return thread_of(warp, lane); }
  bool is_watched() const { return Watch::looks_for_hazards(warp); }
  void report(MbarrierMisuse misuse) const {
    if (is_watched()) warp.block->hazards->misused_mbarrier(misuse, instruction, thread(), at);
  }
};

// Stores the mbarrier, in its next phase if this one is complete.
void store(const Use& use, Mbarrier mbarrier) {
  if (mbarrier.end_phase()) {
    use.warp.block->bulk.phases.erase(use.at);
    if (use.is_watched()) use.warp.block->hazards->order.complete_phase(use.at);
  }
  store_word(use.warp, use.at, mbarrier.word());
}

// Adds to the bytes that the phase still waits for.
void add_bytes(const Use& use, Mbarrier& mbarrier, int64_t bytes) {
  const int64_t sum = mbarrier.bytes + bytes;
  if (sum > Mbarrier::MOST_BYTES || sum < -Mbarrier::MOST_BYTES)
    use.report(MbarrierMisuse::too_many_bytes);
  mbarrier.bytes =
      static_cast<int32_t>(std::clamp<int64_t>(sum, -Mbarrier::MOST_BYTES, Mbarrier::MOST_BYTES));
}

void expect_bytes(const Use& use, Mbarrier& mbarrier, int64_t bytes) {
  add_bytes(use, mbarrier, bytes);
  use.warp.block->bulk.phases[use.at].expected += bytes;
}

// Tells the phase that a copy has brought these bytes.
void bring_bytes(const Use& use, Mbarrier mbarrier, int64_t bytes) {
  add_bytes(use, mbarrier, -bytes);
  use.warp.block->bulk.phases[use.at].copied += bytes;
  store(use, mbarrier);
}

// Lands the copies that a phase with all its arrivals still lacks. On a device they land by themselves, so the next arrival is
// one of the next phase.
void bring_about(const Use& use, bool parity);
Mbarrier ready_for_arrival(const Use& use, const Mbarrier& mbarrier) {
  if (mbarrier.pending > 0) return mbarrier;
  bring_about(use, mbarrier.parity);
  return load_mbarrier(use.warp, use.at).value_or(mbarrier);
}

void arrive(const Use& use, Mbarrier mbarrier, uint32_t count) {
  if (count == 0 || count > mbarrier.pending) use.report(MbarrierMisuse::too_many_arrivals);
  mbarrier.pending -= std::min(count, mbarrier.pending);
  if (use.is_watched()) use.warp.block->hazards->order.arrive(use.thread(), use.at);
  store(use, mbarrier);
}

// Makes a deferred arrival: the copies before it land.
void make(const DeferredArrival& arrival) {
  Warp& warp = *arrival.warp;
  land_copies_up_to(warp, arrival.copies, 1u << arrival.lane);
  const Use use{warp, arrival.instruction, arrival.lane, arrival.mbarrier};
  if (const auto mbarrier = load_mbarrier(warp, use.at)) arrive(use, *mbarrier, 1);
}

void land(const Use& use, const BulkLoad& load) {
  BlockContext& block = *use.warp.block;
  if (use.is_watched())
    block.hazards->bulk_load_lands(load.instruction, load.thread, load.target, load.data.size(),
                                   load.mbarrier);
  std::memcpy(block.shared + load.target, load.data.data(), load.data.size());
  ++use.warp.changes;
}

// Makes the deferred arrivals, and then lands the copies, that a wait for this phase lacks; no more copies than it needs.
void bring_about(const Use& use, bool parity) {
  BulkCopies& bulk = use.warp.block->bulk;
  const auto phase = [&]() -> std::optional<Mbarrier> {
    const auto mbarrier = load_mbarrier(use.warp, use.at);
    return mbarrier && mbarrier->parity == parity ? mbarrier : std::nullopt;
  };
  const auto is_here = [&](const auto& pending) { return pending.mbarrier == use.at; };
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
    const BulkLoad load = std::move(*next);
    next = bulk.loads.erase(next);
    land(use, load);
    bring_bytes(use, *now, static_cast<int64_t>(load.data.size()));
  }
}

// Calls each(use) for the active lanes, one after the other.
template <typename Each>
void for_each_use(Warp& w, const Op& op, Each&& each) {
  AddressStorage storage;
  const Addresses address =
      addresses_of(w, op.a, (op.extra & ADDRESS_IN_32) != 0, op.offset, storage);
  for_each_lane(w.active, [&](int lane) {
    each(Use{w, op.instruction, lane, shared_offset(w, address, lane, WORD_BYTES, WORD_BYTES)});
  });
}

// Calls each(use, mbarrier) for the active lanes, one after the other. Reports a place without an mbarrier, and passes over it.
template <typename Each>
void for_each_mbarrier(Warp& w, const Op& op, Each&& each) {
  for_each_use(w, op, [&](const Use& use) {
    if (use.is_watched()) w.block->hazards->mbarrier_is_used(use.instruction, use.thread(), use.at);
    if (const auto mbarrier = load_mbarrier(w, use.at)) {
      each(use, *mbarrier);
    } else {
      use.report(MbarrierMisuse::not_initialised);
    }
  });
}

void initialise(Warp& w, const Op& op) {
  for_each_use(w, op, [&](const Use& use) {
    const uint32_t count = read<uint32_t>(w, op.b)[use.lane];
    if (count == 0 || count > Mbarrier::MOST_ARRIVALS) use.report(MbarrierMisuse::bad_count);
    const uint32_t arrivals = std::clamp(count, 1u, Mbarrier::MOST_ARRIVALS);
    w.block->bulk.phases.erase(use.at);
    if (use.is_watched()) w.block->hazards->mbarrier_begins(use.instruction, use.thread(), use.at);
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
    w.block->bulk.arrivals.push_back({&w, use.lane, use.at, w.copies_begun, use.instruction});
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
      if (!state) return use.report(MbarrierMisuse::not_a_state);
      parity = state->parity;
    }
    if (mbarrier.parity == parity) {
      bring_about(use, parity);
      mbarrier = load_mbarrier(w, use.at).value_or(mbarrier);
    }
    if (mbarrier.parity == parity) {
      w.awaited = {op.instruction, use.at, true};
      return;
    }
    done |= 1u << use.lane;
    if (use.is_watched()) w.block->hazards->order.pass_phase(use.thread(), use.at);
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

void check_bulk(const Warp& w, uint64_t address, uint64_t bytes, int lane) {
  const bool is_size = address % BULK_ALIGNMENT == 0;
  if (is_size && bytes % BULK_ALIGNMENT == 0) return;
  throw WarpFault{{.kind = FaultKind::misaligned,
                   .address = is_size ? bytes : address,
                   .place = is_size ? AddressPlace{.kind = AddressKind::shared}
                                    : w.block->worker->device().memory.place_of(address),
                   .alignment = BULK_ALIGNMENT},
                  lane};
}

void read_source(Warp& w, BulkStore& store) {
  if (store.is_read) return;
  store.is_read = true;
  store.data.resize(store.bytes);
  std::memcpy(store.data.data(), w.block->shared + store.source, store.bytes);
  if (Watch::looks_for_hazards(w))
    w.block->hazards->bulk_store_was_read(store.instruction, store.thread, store.source);
}

void write_target(Warp& w, BulkStore& store) {
  read_source(w, store);
  if (Watch::looks_for_hazards(w))
    w.block->hazards->bulk_store_lands(store.instruction, store.thread, store.target, store.bytes);
  std::memcpy(store.host, store.data.data(), store.bytes);
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

}  // namespace

void bulk_load(Warp& w, const Op& op) {
  AddressStorage to_storage, from_storage, mbarrier_storage;
  const Addresses to =
      addresses_of(w, op.a, (op.extra & ADDRESS_IN_32) != 0, op.offset, to_storage);
  const Addresses from =
      addresses_of(w, op.b, (op.extra & ADDRESS_B_IN_32) != 0, op.offset_b, from_storage);
  const Addresses mbarrier = addresses_of(w, op.e, (op.extra & ADDRESS_E_IN_32) != 0,
                                          op.lists->offset_e, mbarrier_storage);
  for_each_lane(w.active, [&](int lane) {
    const uint32_t bytes = read<uint32_t>(w, op.c)[lane];
    check_bulk(w, from.of(lane), bytes, lane);
    BulkLoad load{.target = shared_offset(w, to, lane, bytes, BULK_ALIGNMENT),
                  .mbarrier = shared_offset(w, mbarrier, lane, WORD_BYTES, WORD_BYTES),
                  .instruction = op.instruction,
                  .thread = thread_of(w, lane)};
    const std::byte* const source =
        w.block->worker->use_in_bulk(op.site(Site::global), lane, from.of(lane), bytes);
    load.data.assign(source, source + bytes);
    const Use use{w, op.instruction, lane, load.mbarrier};
    if (!load_mbarrier(w, load.mbarrier)) use.report(MbarrierMisuse::not_initialised);
    if (use.is_watched())
      Watch::copy_begins(w, op.instruction, lane, load.target, bytes, from.of(lane), bytes);
    w.block->bulk.loads.push_back(std::move(load));
  });
}

void bulk_store(Warp& w, const Op& op) {
  AddressStorage to_storage, from_storage;
  const Addresses to =
      addresses_of(w, op.a, (op.extra & ADDRESS_IN_32) != 0, op.offset, to_storage);
  const Addresses from =
      addresses_of(w, op.b, (op.extra & ADDRESS_B_IN_32) != 0, op.offset_b, from_storage);
  for_each_lane(w.active, [&](int lane) {
    const uint32_t bytes = read<uint32_t>(w, op.c)[lane];
    check_bulk(w, to.of(lane), bytes, lane);
    BulkCopies& bulk = w.block->bulk;
    BulkStore store{.source = shared_offset(w, from, lane, bytes, BULK_ALIGNMENT),
                    .target = to.of(lane),
                    .bytes = bytes,
                    .instruction = op.instruction,
                    .thread = thread_of(w, lane)};
    store.host = w.block->worker->use_in_bulk(op.site(Site::global), lane, store.target, bytes);
    store.group = bulk.groups[store.thread];
    if (Watch::looks_for_hazards(w))
      w.block->hazards->bulk_store_begins(op.instruction, store.thread, store.source, bytes);
    bulk.stores.push_back(std::move(store));
  });
}

void commit_bulk_stores(Warp& w, const Op&) {
  for_each_lane(w.active, [&](int lane) { ++w.block->bulk.groups[thread_of(w, lane)]; });
}

void await_bulk_reads(Warp& w, const Op& op) {
  for_each_due_store(w, op, [&](BulkStore& store) { read_source(w, store); });
}

void await_bulk_stores(Warp& w, const Op& op) {
  for_each_due_store(w, op, [&](BulkStore& store) {
    write_target(w, store);
    store.bytes = 0;
  });
  std::erase_if(w.block->bulk.stores, [](const BulkStore& store) { return store.bytes == 0; });
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
      w.block->hazards->unawaited_copy(store.instruction, store.thread, store.source);
    write_target(w, store);
    return true;
  });
}

Fault::Phase phase_at(const Warp& w, uint64_t mbarrier) {
  const auto now = load_mbarrier(w, mbarrier);
  if (!now) return {};
  const auto bytes = w.block->bulk.phases.find(mbarrier);
  const PhaseBytes phase = bytes == w.block->bulk.phases.end() ? PhaseBytes{} : bytes->second;
  return {true, now->expected - std::min(now->pending, now->expected), now->expected, phase.copied,
          phase.expected};
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
