// Shadow of device memory: the bytes that were written, and the threads that touched them in the current launch.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "simulator/hazards/line.hpp"
#include "simulator/hazards/stream_order.hpp"
#include "simulator/memory/memory.hpp"

namespace simulator {

/// Zeroed memory that the host provides on first touch; empty if it cannot be had.
class LazyBytes {
 public:
  LazyBytes() = default;
  explicit LazyBytes(uint64_t bytes);
  ~LazyBytes();
  LazyBytes(LazyBytes&& other) noexcept;
  LazyBytes& operator=(LazyBytes&& other) noexcept;

  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(first_);
  }
  explicit operator bool() const { return first_ != nullptr; }

 private:
  std::byte* first_ = nullptr;
  uint64_t bytes_ = 0;
};

class DeviceShadow;

/// The shadow of one allocation.
class BufferShadow final : public LineMemory {
 public:
  BufferShadow(DeviceShadow& all, uint64_t base, uint64_t bytes, bool is_written);
  ~BufferShadow() override;
  BufferShadow(const BufferShadow&) = delete;
  BufferShadow& operator=(const BufferShadow&) = delete;

  uint64_t base() const { return base_; }
  bool contains(uint64_t first, uint64_t past_end) const {
    return first >= base_ && past_end <= base_ + bytes_;
  }

  // --- the bytes that were written ---
  void write(uint64_t first, uint64_t past_end);
  /// True if none of these bytes was written.
  bool is_untouched(uint64_t first, uint64_t past_end) const {
    return !all_written_.load(std::memory_order_relaxed) && has_no_mark(first, past_end);
  }
  /// True if all of these bytes were written.
  bool is_written(uint64_t first, uint64_t past_end) const {
    return all_written_.load(std::memory_order_relaxed) || is_marked(first, past_end);
  }
  uint64_t bytes() const { return bytes_; }
  /// Returns the number of bytes that were written when the last launch began, if they all lie at the start; else
  /// 0.
  uint64_t written_before_launch() const { return written_before_; }
  void begin_launch();

  // --- the threads that touched them: lines of cells of `unit` bytes, a power of two, one unit per launch ---
  /// Returns the address of the first byte of the line around an address.
  static uint64_t line_start(uint64_t address, uint32_t unit) {
    return address & ~(uint64_t{Line::CELLS} * unit - 1);
  }
  /// Returns the number of a cell within its line.
  static uint32_t cell_of(uint64_t address, uint32_t unit) {
    return static_cast<uint32_t>((address - line_start(address, unit)) >> std::countr_zero(unit));
  }
  /// Returns the line around the address. Returns nullptr if there is no memory for it.
  Line* line(uint64_t address, uint32_t unit) {
    const uint64_t offset = address - origin_;
    const std::atomic<Line*>& chunk = chunk_of(address, unit).lines;
    Line* lines = chunk.load(std::memory_order_acquire);
    if (lines == nullptr) lines = make_lines(address, unit);
    return lines == nullptr ? nullptr
                            : lines + (offset % CHUNK >> std::countr_zero(Line::CELLS * unit));
  }
  /// Returns the place of the values last written there: those of neighbouring bytes follow, up to the end of the line. Returns
  /// nullptr if there is no memory for it, or if none were written in the neighbourhood and `creates` is false.
  std::byte* values(uint64_t address, uint32_t unit, bool creates) {
    const std::atomic<std::byte*>& chunk = chunk_of(address, unit).values;
    std::byte* bytes = chunk.load(std::memory_order_acquire);
    if (bytes == nullptr && creates) bytes = make_values(address, unit);
    return bytes == nullptr ? nullptr : bytes + (address - origin_) % CHUNK;
  }
  /// True if the accesses of an earlier launch still matter when a later one begins: host code may use the memory too.
  bool keeps_earlier() const { return keeps_earlier_; }
  void* get(uint32_t bytes) override;
  void put(void* memory, uint32_t bytes) override;

  /// Notes that a launch reads or writes the allocation. Only the last launch of each is kept.
  void note(uint32_t launch, bool writes) {
    if (writes && only_read_in_.load(std::memory_order_relaxed) != 0) only_read_in_ = 0;
    std::atomic<uint32_t>& last = writes ? written_in_ : read_in_;
    if (last.load(std::memory_order_relaxed) != launch) last = launch;
  }
  /// Notes that a launch can only read the allocation, as far as its code tells. A write to it takes that back.
  void expect_only_reads(uint32_t launch) { only_read_in_ = launch; }
  bool is_only_read(uint32_t launch) const {
    return only_read_in_.load(std::memory_order_relaxed) == launch;
  }

  /// True if a thread of this or a later launch wrote the place, or only read it. False if only an access to the
  /// allocation is known.
  bool was_touched(uint64_t address, uint32_t launch, bool writes);
  /// True if host code may wait for the place by polling it: no access of the last launch was weak.
  bool is_for_messages(uint64_t address, uint32_t launch);
  /// Calls found(address, bytes, last_touch) for each place of the range that a launch from `first_launch` on has touched, until
  /// it returns true.
  template <typename Found>
  void for_touched(uint64_t first, uint64_t past_end, uint32_t first_launch, Found found) {
    for (const uint32_t unit : {1u, 4u}) {
      const uint64_t line_bytes = uint64_t{Line::CELLS} * unit;
      for (uint64_t at = first / unit * unit; at < past_end;) {
        const uint64_t end = std::min(past_end, line_start(at, unit) + line_bytes);
        LineLock lock;
        const Line* const line = known_line(std::max(at, base_), unit, lock);
        if (line != nullptr && line->last_launch() >= first_launch) {
          for (uint64_t place = at; place < end; place += unit) {
            const Line::Touch touch = line->last_touch(cell_of(place, unit));
            if (touch.launch != 0 && touch.launch >= first_launch && found(place, unit, touch))
              return;
          }
        }
        at = (end + unit - 1) / unit * unit;
      }
    }
  }
  uint32_t read_in() const { return read_in_; }
  uint32_t written_in() const { return written_in_; }

 private:
  // Bytes whose lines are allocated together.
  static constexpr uint64_t CHUNK = uint64_t{64} * 1024;
  struct Chunk {
    std::atomic<Line*> lines = nullptr;
    std::atomic<std::byte*> values = nullptr;
  };
  Chunk& chunk_of(uint64_t address, uint32_t unit) {
    return (unit == 1 ? narrow_ : wide_)[(address - origin_) / CHUNK];
  }
  uint64_t chunk_bytes() const { return std::min(CHUNK, base_ + bytes_ - origin_); }
  Line* known_line(uint64_t address, uint32_t unit, LineLock& lock);
  Line* make_lines(uint64_t address, uint32_t unit);
  std::byte* make_values(uint64_t address, uint32_t unit);
  std::byte* take(uint64_t bytes);
  bool is_marked(uint64_t first, uint64_t past_end) const;
  bool has_no_mark(uint64_t first, uint64_t past_end) const;

  const uint64_t base_, bytes_;
  const uint64_t origin_;  // where the first line begins, at `base_` or shortly before
  const bool keeps_earlier_;
  std::atomic<bool> all_written_;
  uint64_t written_before_ = 0;
  std::atomic<uint32_t> read_in_ = 0, written_in_ = 0;
  std::atomic<uint32_t> only_read_in_ = 0;
  LazyBytes marks_;  // one bit per byte
  std::mutex mutex_;
  std::vector<LazyBytes> memory_;     // of the chunks and for get()
  std::vector<Chunk> narrow_, wide_;  // with one-byte and four-byte cells
  std::atomic<bool> has_no_more_{false};
  uint64_t taken_ = 0;
  std::byte* slab_ = nullptr;  // the next free memory for get()
  uint64_t slab_bytes_ = 0;
  std::map<uint32_t, std::vector<void*>> spare_;  // memory that was put back, by size
  DeviceShadow& all_;
};

/// The shadow of all allocations of a device. Every function is thread-safe.
class DeviceShadow {
 public:
  explicit DeviceShadow(const DeviceMemory& of) : memory(of) {}

  const DeviceMemory& memory;

  /// Adds a new allocation. `is_written`: its bytes count as written, because host code may write them unseen.
  void allocated(uint64_t base, uint64_t bytes, bool is_written);
  void released(uint64_t base);
  /// Records that host code wrote these bytes of device memory.
  void written(uint64_t address, uint64_t bytes);
  /// True if none of these bytes was written.
  bool is_untouched(uint64_t address, uint64_t bytes) const;

  /// Returns the shadow of a live allocation. An allocation not added before counts as written.
  BufferShadow& of(const Allocation& allocation);

  StreamOrder streams;
  /// Records a copy or fill, and compares it with launches, copies and fills that may run at the same time.
  void copied(const StreamWork& work, const std::vector<TouchedBytes>& bytes);
  /// Compares a launch that has ended with a copy or fill that may run at the same time. Returns a place that both touched.
  struct Meeting {
    uint64_t address = 0;
    bool copy_writes = false, launch_writes = false;
  };
  std::optional<Meeting> meeting(uint32_t launch, const std::vector<TouchedBytes>& bytes) const;

  /// Begins a launch. Returns its number.
  uint32_t begin_launch();
  void end_launch();
  /// Returns the bytes that a launch has touched, as ranges. Returns nothing if they are too many. `allocations`: those around them.
  std::optional<std::vector<TouchedBytes>> touched_by(
      uint32_t launch, const std::vector<const Allocation*>& allocations);
  /// Records a launch that need not run, because an earlier one did the same and touched these bytes. Returns false if it must
  /// run, because of other streams: earlier work of theirs is not ordered with it, or the bytes are unknown.
  bool repeat_launch(const std::optional<std::vector<TouchedBytes>>& touched);
  /// Returns the number of the launch that this thread began last. Several host threads may launch at once.
  static uint32_t launch_of_this_thread();

  /// Returns memory for cells. Returns none, with a message on stderr, if it exceeds the host's limit.
  LazyBytes take(uint64_t bytes);
  void give_back(uint64_t bytes) { taken_ -= bytes; }

 private:
  BufferShadow* around(uint64_t address) const;

  mutable std::shared_mutex mutex_;
  std::atomic<uint64_t> taken_{0};
  std::map<uint64_t, std::unique_ptr<BufferShadow>> buffers_;  // by base
  std::vector<std::unique_ptr<BufferShadow>> retired_;  // freed while a launch may still use them
  uint32_t launches_ = 0, under_way_ = 0;
  std::atomic<bool> refusal_said_{false};
};

}  // namespace simulator
