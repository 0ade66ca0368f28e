#include "simulator/hazards/stream_order.hpp"

#include <algorithm>
#include <utility>

namespace simulator {
namespace {

// Older work of a stream is forgotten, and counts as ordered.
constexpr size_t MOST_KEPT = 2048;

thread_local const StreamWork* begun = nullptr;

}  // namespace

std::optional<uint64_t> TouchedBytes::meets(const TouchedBytes& other) const {
  if (width == 0 || other.width == 0) return std::nullopt;
  if (past_end() <= other.first || other.past_end() <= first) return std::nullopt;
  uint64_t found = 0;
  const bool meets = any_row([&](uint64_t from, uint64_t to) {
    if (to <= other.first || other.past_end() <= from) return false;
    return other.any_row([&](uint64_t other_from, uint64_t other_to) {
      found = std::max(from, other_from);
      return found < std::min(to, other_to);
    });
  });
  return meets ? std::optional(found) : std::nullopt;
}

StreamOrder::Beginning::Beginning(const StreamWork& work) { begun = &work; }
StreamOrder::Beginning::~Beginning() { begun = nullptr; }
const StreamWork* StreamOrder::beginning() { return begun; }

std::vector<Unordered> StreamOrder::unordered_with(const StreamWork& work) const {
  std::vector<Unordered> unordered;
  for (const auto& [stream, done] : of_stream_) {
    if (stream == work.stream) continue;
    for (auto last = done.rbegin(); last != done.rend() && !last->work.is_before(work); ++last) {
      if (!work.is_before(last->work)) unordered.push_back(*last);
    }
  }
  std::ranges::sort(unordered, {}, &Unordered::number);
  return unordered;
}

void StreamOrder::keep(Unordered done) {
  std::deque<Unordered>& own = of_stream_[done.work.stream];
  own.push_back(std::move(done));
  if (own.size() > MOST_KEPT) own.pop_front();
}

std::vector<Unordered> StreamOrder::add(uint32_t number, const StreamWork& work,
                                        std::vector<TouchedBytes> bytes) {
  const std::lock_guard lock(mutex_);
  std::vector<Unordered> unordered = unordered_with(work);
  keep({number, work, std::move(bytes)});
  return unordered;
}

bool StreamOrder::add_ordered(uint32_t number, const StreamWork& work,
                              std::vector<TouchedBytes> bytes) {
  const std::lock_guard lock(mutex_);
  if (!unordered_with(work).empty()) return false;
  keep({number, work, std::move(bytes)});
  return true;
}

void StreamOrder::add_conflict(const Unordered& earlier, const StreamWork& now, uint64_t address,
                               bool earlier_writes, bool now_writes) {
  const std::lock_guard lock(mutex_);
  if (earlier.work.operation < now.operation) {
    conflicts_.push_back({earlier.work, now, earlier_writes, now_writes, address});
  } else {
    conflicts_.push_back({now, earlier.work, now_writes, earlier_writes, address});
  }
}

std::vector<StreamConflict> StreamOrder::take_conflicts() {
  const std::lock_guard lock(mutex_);
  return std::exchange(conflicts_, {});
}

}  // namespace simulator
