#include "simulator/execute/level/async_copies.hpp"
#include "simulator/count/timeline.hpp"

#include <cstring>
#include <iterator>

#include "simulator/execute/watch/observer.hpp"

BEGIN_LEVEL
namespace {

// Far more copies than any pipeline has pending. A loop that copies and never waits must not exhaust the host's
// memory: its oldest copies land.
constexpr size_t MOST_PENDING = 1024;

StoredLanes<uint32_t>& groups_of(Warp& w) {
  return *reinterpret_cast<StoredLanes<uint32_t>*>(w.groups.data());
}

template <uint32_t BYTES>
void write(std::byte* shared, const PendingCopy& copy, uint32_t lanes) {
  const auto one = [&](size_t lane) {
    std::memcpy(shared + copy.offset[lane], copy.data.data() + lane * BYTES, BYTES);
  };
  if (lanes == ~0u) {
    for (size_t lane = 0; lane < WARP; ++lane) one(lane);
  } else {
    for_each_lane(lanes, [&](int lane) { one(static_cast<size_t>(lane)); });
  }
}

// Lands one instruction's copy for these lanes.
void land(Warp& w, PendingCopy& copy, uint32_t lanes) {
  if (Watch::looks_for_hazards(w)) [[unlikely]] {
    for_each_lane(lanes, [&](int lane) {
      Watch::copy_lands(w, copy.instruction, lane, copy.offset[static_cast<size_t>(lane)],
                        copy.bytes);
    });
  }
  if (copy.bytes == 4) write<4>(w.block->shared, copy, lanes);
  if (copy.bytes == 8) write<8>(w.block->shared, copy, lanes);
  if (copy.bytes == 16) write<16>(w.block->shared, copy, lanes);
  copy.lanes &= ~lanes;
  ++w.changes;
  Watch::copies_landed(w, copy, lanes);
}

// Lands the committed copies of these lanes, except each lane's last `pending` groups.
void land_groups(Warp& w, uint32_t lanes, uint32_t pending) {
  const Lanes<uint32_t> groups = groups_of(w);
  for (auto copy = w.copies.begin(); copy != w.copies.end();) {
    const auto& group = *reinterpret_cast<const StoredLanes<uint32_t>*>(copy->group.data());
    const uint32_t due = copy->lanes & lanes & to_bits(group + pending < groups);
    if (due != 0) land(w, *copy, due);
    const auto landed = copy++;
    if (landed->lanes == 0) w.spare_copies.splice(w.spare_copies.end(), w.copies, landed);
  }
}

}  // namespace

PendingCopy& begin_copy(Warp& w) {
  if (w.copies.size() >= MOST_PENDING) {
    land(w, w.copies.front(), w.copies.front().lanes);
    w.spare_copies.splice(w.spare_copies.end(), w.copies, w.copies.begin());
  }
  if (w.spare_copies.empty()) w.spare_copies.emplace_back();
  w.copies.splice(w.copies.end(), w.spare_copies, std::prev(w.spare_copies.end()));
  PendingCopy& copy = w.copies.back();
  if (w.block->timeline != nullptr) w.block->timeline->copy(w.number);
  copy.number = ++w.copies_begun;
  copy.lanes = 0;
  copy.group = w.groups;
  copy.shared_loads = w.shared_loads;
  return copy;
}

void land_copies_up_to(Warp& w, uint64_t number, uint32_t lanes) {
  for (auto copy = w.copies.begin(); copy != w.copies.end() && copy->number <= number;) {
    const uint32_t due = copy->lanes & lanes;
    if (due != 0) land(w, *copy, due);
    const auto landed = copy++;
    if (landed->lanes == 0) w.spare_copies.splice(w.spare_copies.end(), w.copies, landed);
  }
}

void land_all_copies(Warp& w, uint32_t lanes) {
  groups_of(w) -= bits_as<Lanes<uint32_t>>(expand_mask(lanes));
  land_groups(w, lanes, 0);
}

void commit_copies(Warp& w, const Op&) {
  groups_of(w) -= bits_as<Lanes<uint32_t>>(expand_mask(w.active));
}

void await_copies(Warp& w, const Op& op) {
  land_groups(w, w.active, static_cast<uint32_t>(op.extra));
}

void await_all_copies(Warp& w, const Op&) { land_all_copies(w, w.active); }

END_LEVEL
