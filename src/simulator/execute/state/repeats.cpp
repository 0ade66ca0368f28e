#include "simulator/execute/state/repeats.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace simulator {
namespace {

constexpr uint64_t MOST_BYTES = uint64_t{512} << 20;  // of all that is kept for a device
constexpr size_t MOST_RECORDS = 4;                    // of launches with one key
constexpr size_t MOST_KEYS = 4096;
// A launch is worth keeping if running it takes longer than copying the memory that it touched. A warp's instruction takes 25 ns or
// more, and so does a copy of 128 bytes. The decision does not depend on time, so a program's report is always the same.
constexpr uint64_t LEAST_INSTRUCTIONS = 1000;  // of warps
constexpr uint64_t MOST_BYTES_AN_INSTRUCTION = 128;
// Memory whose contents are always new is not kept again and again.
constexpr int PATIENCE = 3;

using Bytes = std::unique_ptr<std::byte[]>;

Bytes copy_of(const Allocation& allocation) {
  Bytes copy = std::make_unique_for_overwrite<std::byte[]>(allocation.bytes);
  std::memcpy(copy.get(), allocation.host, allocation.bytes);
  return copy;
}

}  // namespace

uint64_t RepeatStore::Record::bytes() const {
  uint64_t sum = 0;
  for (const Contents& contents : memory) sum += contents.bytes * (contents.after ? 2 : 1);
  return sum;
}

// Returns the allocations, which all exist.
std::vector<const Allocation*> RepeatStore::allocations_of(
    const std::vector<Contents>& memory) const {
  std::vector<const Allocation*> all;
  all.reserve(memory.size());
  for (const Contents& contents : memory) all.push_back(memory_.find(contents.base));
  return all;
}

bool RepeatStore::Record::changes_memory() const {
  return std::ranges::any_of(memory,
                             [](const Contents& contents) { return contents.after != nullptr; });
}

std::vector<std::string> RepeatStore::names_of(const std::vector<Contents>& memory) const {
  std::vector<std::string> names;
  names.reserve(memory.size());
  for (const Allocation* const allocation : allocations_of(memory))
    names.push_back(memory_.name_of(allocation->id));
  return names;
}

// True if the memory is as it was before the kept launch.
bool RepeatStore::finds_memory(const Record& record) const {
  const bool is_unchanged = record.found_at == memory_.changes();
  return std::ranges::all_of(record.memory, [&](const Contents& contents) {
    const Allocation* const allocation = memory_.find(contents.base);
    if (allocation == nullptr || allocation->revivals != contents.revivals) return false;
    return is_unchanged ||
           std::memcmp(allocation->host, contents.before.get(), contents.bytes) == 0;
  });
}

// True if nothing but memory tells the kept launch from a new one.
bool RepeatStore::may_stand_in(const Record& record, bool looks_for_hazards) const {
  return record.removed_textures == textures_.removed() &&
         record.names == names_of(record.memory) &&
         (!looks_for_hazards || shadow_.repeat_launch(record.touched));
}

std::optional<LaunchResults> RepeatStore::repeat(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto known = known_.find(key);
  if (known == known_.end()) return std::nullopt;
  History& history = known->second;
  for (Record& record : history.records) {
    if (!finds_memory(record)) continue;
    if (!may_stand_in(record, key.looks_for_hazards)) break;
    for (const Contents& contents : record.memory) {
      if (contents.after)
        std::memcpy(memory_.find(contents.base)->host, contents.after.get(), contents.bytes);
    }
    if (record.changes_memory()) memory_.note_change();
    record.found_at = record.changes_memory() ? 0 : memory_.changes();
    record.last_use = ++uses_;
    ++history.hits;
    return record.results;
  }
  return std::nullopt;
}

std::vector<RepeatStore::Contents> RepeatStore::before(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto known = known_.find(key);
  std::vector<Contents> memory;
  if (known == known_.end() || known->second.is_given_up) return memory;
  try {
    for (const uint64_t base : known->second.touched) {
      const Allocation* const allocation = memory_.find(base);
      if (allocation == nullptr) return {};
      memory.push_back({base, allocation->bytes, allocation->revivals, copy_of(*allocation)});
    }
  } catch (const std::bad_alloc&) {
    return {};
  }
  return memory;
}

void RepeatStore::after(const Key& key, std::vector<Contents> memory,
                        const TouchedAllocations& touched, LaunchResults results) {
  const std::lock_guard lock(mutex_);
  if (known_.size() >= MOST_KEYS && !known_.contains(key)) return;
  History& history = known_[key];
  if (history.is_given_up) return;
  uint64_t bytes = 0;
  bool host_uses_it = false;
  for (const uint64_t base : touched) {
    const Allocation* const allocation = memory_.find(base);
    host_uses_it |= allocation == nullptr || allocation->host_visible;
    if (allocation != nullptr) bytes += allocation->bytes;
  }
  const uint64_t instructions = results.counters.warp_instructions;
  const bool is_cheap =
      instructions < LEAST_INSTRUCTIONS || bytes > instructions * MOST_BYTES_AN_INSTRUCTION;
  const bool is_always_new = history.misses > PATIENCE * (1 + history.hits);
  // Host code may write the memory that it shares at any time.
  if (host_uses_it || is_cheap || is_always_new) return give_up(history);

  if (!std::ranges::equal(memory, touched, {}, &Contents::base)) {
    history.touched = touched;
    return;
  }
  ++history.misses;
  try {
    for (Contents& contents : memory) {
      const Allocation& allocation = *memory_.find(contents.base);
      if (std::memcmp(allocation.host, contents.before.get(), contents.bytes) != 0)
        contents.after = copy_of(allocation);
    }
    std::vector<std::string> names = names_of(memory);
    std::optional<std::vector<TouchedBytes>> places;
    if (results.number != 0) places = shadow_.touched_by(results.number, allocations_of(memory));
    Record record{std::move(memory),   std::move(names),  std::move(results),
                  textures_.removed(), std::move(places), ++uses_};
    if (!record.changes_memory()) record.found_at = memory_.changes();
    if (!make_room(record.bytes())) return give_up(history);
    kept_ += record.bytes();
    history.records.push_front(std::move(record));
  } catch (const std::bad_alloc&) {
    return;  // a launch need not be kept
  }
  if (history.records.size() > MOST_RECORDS) {
    kept_ -= history.records.back().bytes();
    history.records.pop_back();
  }
}

// Drops the records that were not used for the longest time.
bool RepeatStore::make_room(uint64_t bytes) {
  if (bytes > MOST_BYTES) return false;
  while (kept_ + bytes > MOST_BYTES) {
    History* of_oldest = nullptr;
    for (auto& [key, history] : known_) {
      if (history.records.empty()) continue;
      const auto oldest = [](const History& h) { return h.records.back().last_use; };
      if (of_oldest == nullptr || oldest(history) < oldest(*of_oldest)) of_oldest = &history;
    }
    kept_ -= of_oldest->records.back().bytes();
    of_oldest->records.pop_back();
  }
  return true;
}

// Drops the records for good.
void RepeatStore::give_up(History& history) {
  for (const Record& record : history.records) kept_ -= record.bytes();
  history.records.clear();
  history.touched.clear();
  history.is_given_up = true;
}

void RepeatStore::forget(const Program& program) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, history] : known_) {
    if (key.program == &program) give_up(history);
  }
  std::erase_if(known_, [&](const auto& entry) { return entry.first.program == &program; });
}

}  // namespace simulator
