#include "simulator/hazards/device_shadow.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "simulator/message.hpp"
#include "simulator/progress.hpp"

namespace simulator {

namespace {

// Memory of at least this size comes from the operating system, zeroed on first touch.
constexpr uint64_t MAPPED = uint64_t{64} * 1024;

}  // namespace

// --- memory -------------------------------------------------------------------------------------------

LazyBytes::LazyBytes(uint64_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  if (bytes < MAPPED) {
    first_ = static_cast<std::byte*>(std::calloc(1, bytes));
    return;
  }
  void* const first = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (first != MAP_FAILED) first_ = static_cast<std::byte*>(first);
}

LazyBytes::~LazyBytes() {
  if (first_ == nullptr) return;
  if (bytes_ < MAPPED) {
    std::free(first_);
  } else {
    munmap(first_, bytes_);
  }
}

LazyBytes::LazyBytes(LazyBytes&& other) noexcept
    : first_(std::exchange(other.first_, nullptr)), bytes_(other.bytes_) {}

LazyBytes& LazyBytes::operator=(LazyBytes&& other) noexcept {
  std::swap(first_, other.first_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

// --- one allocation -----------------------------------------------------------------------------------

BufferShadow::BufferShadow(DeviceShadow& all, uint64_t base, uint64_t bytes, bool is_written)
    : base_(base),
      bytes_(bytes),
      origin_(line_start(base, 4)),
      keeps_earlier_(is_written),
      all_written_(is_written),
      narrow_((base + bytes - origin_ + CHUNK - 1) / CHUNK),
      wide_(narrow_.size()),
      all_(all) {
  if (is_written) return;
  marks_ = LazyBytes((bytes + 63) / 64 * 8);
  if (!marks_) all_written_ = true;
}

BufferShadow::~BufferShadow() { all_.give_back(taken_); }

namespace {

// Calls each(word, mask) for the words of the bits [first, past_end), until it returns false.
template <typename Each>
bool for_each_word(uint64_t first, uint64_t past_end, Each each) {
  while (first < past_end) {
    const uint64_t word = first / 64;
    const uint64_t last = std::min(past_end, (word + 1) * 64);
    const uint64_t count = last - first;
    const uint64_t mask = (count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << first % 64;
    if (!each(word, mask)) return false;
    first = last;
  }
  return true;
}

// Other threads may set marks of other bytes meanwhile.
uint64_t load_marks(const LazyBytes& marks, uint64_t word) {
  return std::atomic_ref(marks.as<uint64_t>()[word]).load(std::memory_order_relaxed);
}

}  // namespace

void BufferShadow::write(uint64_t first, uint64_t past_end) {
  if (all_written_.load(std::memory_order_relaxed)) return;
  if (first <= base_ && past_end >= base_ + bytes_) {
    all_written_ = true;
    return;
  }
  for_each_word(first - base_, past_end - base_, [&](uint64_t word, uint64_t mask) {
    const std::atomic_ref<uint64_t> marks(marks_.as<uint64_t>()[word]);
    if ((marks.load(std::memory_order_relaxed) & mask) != mask)
      marks.fetch_or(mask, std::memory_order_relaxed);
    return true;
  });
}

bool BufferShadow::is_marked(uint64_t first, uint64_t past_end) const {
  return for_each_word(first - base_, past_end - base_, [&](uint64_t word, uint64_t mask) {
    return (load_marks(marks_, word) & mask) == mask;
  });
}

bool BufferShadow::has_no_mark(uint64_t first, uint64_t past_end) const {
  return for_each_word(first - base_, past_end - base_, [&](uint64_t word, uint64_t mask) {
    return (load_marks(marks_, word) & mask) == 0;
  });
}

// Returns the line around an address, and locks it. Returns nullptr if no launch has touched its neighbourhood.
Line* BufferShadow::known_line(uint64_t address, uint32_t unit, LineLock& lock) {
  if (chunk_of(address, unit).lines.load(std::memory_order_acquire) == nullptr) return nullptr;
  Line* const found = line(address, unit);
  lock.take(found);
  return found;
}

bool BufferShadow::was_touched(uint64_t address, uint32_t launch, bool writes) {
  bool was_touched = false;
  for_touched(address, address + 1, launch,
              [&](uint64_t /*at*/, uint32_t /*bytes*/, const Line::Touch& touch) {
                was_touched |= touch.wrote || !writes;
                return was_touched;
              });
  return was_touched;
}

bool BufferShadow::is_for_messages(uint64_t address, uint32_t launch) {
  bool is_weak = false;
  bool is_touched = false;
  for_touched(address, address + 1, launch,
              [&](uint64_t /*at*/, uint32_t /*bytes*/, const Line::Touch& touch) {
                is_touched = true;
                is_weak |= touch.is_weak;
                return is_weak;
              });
  return is_touched && !is_weak;
}

// Returns zeroed memory that lives as long as the buffer, or nullptr.
std::byte* BufferShadow::take(uint64_t bytes) {
  if (has_no_more_) return nullptr;
  constexpr uint64_t ALIGNMENT = 64;  // that of a line of the host's cache
  LazyBytes memory = all_.take(bytes + ALIGNMENT);
  has_no_more_ = !memory;
  if (!memory) return nullptr;
  taken_ += bytes + ALIGNMENT;
  const uint64_t past = reinterpret_cast<uintptr_t>(memory.as<std::byte>()) % ALIGNMENT;
  std::byte* const first = memory.as<std::byte>() + (ALIGNMENT - past) % ALIGNMENT;
  memory_.push_back(std::move(memory));
  return first;
}

Line* BufferShadow::make_lines(uint64_t address, uint32_t unit) {
  std::atomic<Line*>& place = chunk_of(address, unit).lines;
  const std::lock_guard lock(mutex_);
  if (Line* const lines = place.load()) return lines;
  const uint64_t line_bytes = uint64_t{Line::CELLS} * unit;
  const uint64_t lines = (chunk_bytes() + line_bytes - 1) / line_bytes;
  place.store(reinterpret_cast<Line*>(take(lines * sizeof(Line))), std::memory_order_release);
  return place.load();
}

std::byte* BufferShadow::make_values(uint64_t address, uint32_t unit) {
  std::atomic<std::byte*>& place = chunk_of(address, unit).values;
  const std::lock_guard lock(mutex_);
  if (std::byte* const values = place.load()) return values;
  place.store(take(chunk_bytes()), std::memory_order_release);
  return place.load();
}

void* BufferShadow::get(uint32_t bytes) {
  const std::lock_guard lock(mutex_);
  std::vector<void*>& spare = spare_[bytes];
  if (!spare.empty()) {
    void* const memory = spare.back();
    spare.pop_back();
    return memory;
  }
  if (slab_bytes_ < bytes) {
    // Enough for the cells of all lines, if the buffer is small.
    constexpr uint64_t LARGE = uint64_t{256} * 1024;
    const uint64_t lines = bytes_ / (uint64_t{Line::CELLS} * 4) + 2;
    slab_bytes_ = std::min(LARGE, lines * Line::most_bytes());
    slab_ = take(slab_bytes_);
    if (slab_ == nullptr) slab_bytes_ = 0;
    if (slab_ == nullptr) return nullptr;
  }
  slab_bytes_ -= bytes;
  return std::exchange(slab_, slab_ + bytes);
}

void BufferShadow::put(void* memory, uint32_t bytes) {
  const std::lock_guard lock(mutex_);
  spare_[bytes].push_back(memory);
}

void BufferShadow::begin_launch() {
  written_before_ = 0;
  if (all_written_) return;
  uint64_t first = 0;
  while (first + 64 <= bytes_ && marks_.as<uint64_t>()[first / 64] == ~uint64_t{0}) first += 64;
  while (first < bytes_ && is_marked(base_ + first, base_ + first + 1)) ++first;
  if (first > 0 && is_untouched(base_ + first, base_ + bytes_)) written_before_ = first;
}

// --- all allocations ----------------------------------------------------------------------------------

void DeviceShadow::allocated(uint64_t base, uint64_t bytes, bool is_written) {
  auto buffer = std::make_unique<BufferShadow>(*this, base, bytes, is_written);
  const std::unique_lock lock(mutex_);
  buffers_[base] = std::move(buffer);
}

void DeviceShadow::released(uint64_t base) {
  const std::unique_lock lock(mutex_);
  const auto found = buffers_.find(base);
  if (found == buffers_.end()) return;
  if (under_way_ > 0) retired_.push_back(std::move(found->second));
  buffers_.erase(found);
}

BufferShadow* DeviceShadow::around(uint64_t address) const {
  const auto after = buffers_.upper_bound(address);
  if (after == buffers_.begin()) return nullptr;
  BufferShadow* const before = std::prev(after)->second.get();
  return before->contains(address, address + 1) ? before : nullptr;
}

void DeviceShadow::written(uint64_t address, uint64_t bytes) {
  const std::shared_lock lock(mutex_);
  BufferShadow* const buffer = around(address);
  if (buffer != nullptr && buffer->contains(address, address + bytes))
    buffer->write(address, address + bytes);
}

bool DeviceShadow::is_untouched(uint64_t address, uint64_t bytes) const {
  const std::shared_lock lock(mutex_);
  const BufferShadow* const buffer = around(address);
  return buffer != nullptr && bytes > 0 && buffer->contains(address, address + bytes) &&
         buffer->is_untouched(address, address + bytes);
}

BufferShadow& DeviceShadow::of(const Allocation& allocation) {
  {
    const std::shared_lock lock(mutex_);
    const auto found = buffers_.find(allocation.base);
    if (found != buffers_.end()) return *found->second;
  }
  const std::unique_lock lock(mutex_);
  std::unique_ptr<BufferShadow>& buffer = buffers_[allocation.base];
  if (!buffer)
    buffer = std::make_unique<BufferShadow>(*this, allocation.base, allocation.bytes, true);
  return *buffer;
}

namespace {
thread_local uint32_t latest_of_this_thread = 0;
}

uint32_t DeviceShadow::begin_launch() {
  const std::unique_lock lock(mutex_);
  ++under_way_;
  for (const auto& [base, buffer] : buffers_) buffer->begin_launch();
  return latest_of_this_thread = ++launches_;
}

uint32_t DeviceShadow::launch_of_this_thread() { return latest_of_this_thread; }

void DeviceShadow::end_launch() {
  const std::unique_lock lock(mutex_);
  if (--under_way_ == 0) retired_.clear();
}

std::optional<std::vector<TouchedBytes>> DeviceShadow::touched_by(
    uint32_t launch, const std::vector<const Allocation*>& allocations) {
  constexpr size_t MOST_RANGES = 256;
  std::vector<TouchedBytes> ranges;
  for (const Allocation* const allocation : allocations) {
    const uint64_t end = allocation->base + allocation->bytes;
    const auto add = [&](uint64_t at, uint32_t bytes, const Line::Touch& touch) {
      if (touch.launch != launch) return false;
      const uint64_t first = std::max(at, allocation->base);
      const uint64_t width = std::min(at + bytes, end) - first;
      const bool goes_on = !ranges.empty() && ranges.back().writes == touch.wrote &&
                           ranges.back().past_end() == first;
      if (goes_on) {
        ranges.back().width += width;
      } else {
        ranges.push_back({.first = first, .width = width, .writes = touch.wrote});
      }
      return ranges.size() > MOST_RANGES;
    };
    BufferShadow& buffer = of(*allocation);
    // It has no marks, and a guess at the bytes could name a race that is none.
    if (buffer.is_only_read(launch)) return std::nullopt;
    buffer.for_touched(allocation->base, end, launch, add);
    if (ranges.size() > MOST_RANGES) return std::nullopt;
  }
  return ranges;
}

bool DeviceShadow::repeat_launch(const std::optional<std::vector<TouchedBytes>>& touched) {
  const StreamWork* const begun = StreamOrder::beginning();
  if (begun != nullptr && begun->has_others && !touched) return false;
  const uint32_t number = begin_launch();  // no memory has marks of it
  end_launch();
  return begun == nullptr || !touched || streams.add_ordered(number, *begun, *touched);
}

std::optional<DeviceShadow::Meeting> DeviceShadow::meeting(
    uint32_t launch, const std::vector<TouchedBytes>& bytes) const {
  const std::shared_lock lock(mutex_);
  std::optional<Meeting> met;
  for (const TouchedBytes& range : bytes) {
    BufferShadow* const buffer = around(range.first);
    if (buffer == nullptr || !buffer->contains(range.first, range.past_end()) ||
        std::max(buffer->read_in(), buffer->written_in()) < launch)
      continue;
    range.any_row([&](uint64_t first, uint64_t past_end) {
      buffer->for_touched(first, past_end, launch,
                          [&](uint64_t at, uint32_t /*bytes*/, const Line::Touch& touch) {
                            if (touch.launch != launch || (!touch.wrote && !range.writes))
                              return false;
                            met = {at, range.writes, touch.wrote};
                            return true;
                          });
      return met.has_value();
    });
    if (met) break;
  }
  return met;
}

void DeviceShadow::copied(const StreamWork& work, const std::vector<TouchedBytes>& bytes) {
  uint32_t number = 0;
  {
    const std::unique_lock lock(mutex_);
    number = ++launches_;
  }
  for (const Unordered& earlier : streams.add(number, work, bytes)) {
    if (earlier.bytes.empty()) {
      if (const std::optional<Meeting> met = meeting(earlier.number, bytes))
        streams.add_conflict(earlier, work, met->address, met->launch_writes, met->copy_writes);
      continue;
    }
    const auto find = [&] {
      for (const TouchedBytes& mine : bytes) {
        for (const TouchedBytes& other : earlier.bytes) {
          if (!mine.writes && !other.writes) continue;
          if (const std::optional<uint64_t> at = mine.meets(other))
            return streams.add_conflict(earlier, work, *at, other.writes, mine.writes);
        }
      }
    };
    find();
  }
}

// Takes at most a third of the device's memory, or 64 MiB if that is more. By default the device has three
// quarters of the usable memory.
LazyBytes DeviceShadow::take(uint64_t bytes) {
  constexpr uint64_t LEAST = uint64_t{64} << 20;
  const uint64_t most = std::max(LEAST, memory.total_bytes() / 3);
  LazyBytes taken;
  if (taken_.fetch_add(bytes) + bytes <= most) taken = LazyBytes(bytes);
  if (taken) return taken;
  give_back(bytes);
  if (!refusal_said_.exchange(true)) {
    const Message message{
        "there is no more memory to remember who touched global memory: some races are not seen",
        "", "a smaller problem; the run goes on, and its results are the same"};
    const HiddenProgress hidden;
    std::fputs(message.text().c_str(), stderr);
  }
  return {};
}

}  // namespace simulator
