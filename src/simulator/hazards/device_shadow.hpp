// Shadow of device memory: the bytes that were written, and the threads that touched them in the current launch.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "simulator/hazards/order.hpp"
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

/// A thread that touched a place: its block and instruction, and the time of its block. Only the low 32 bits of a
/// block's number are kept. Only the largest grids have more blocks.
struct Toucher {
  static constexpr uint32_t NOBODY = (1u << 22) - 1;

  uint32_t block = 0;
  uint32_t time : 22 = 0;
  uint32_t thread : 10 = 0;
  uint32_t instruction : 22 = NOBODY;
  uint32_t also : 10 = 0;  // another thread of the block that did the same later; `thread`: none

  bool is_somebody() const { return instruction != NOBODY; }
};

/// The threads that touched some bytes in a launch. Among unordered accesses, the accesses of the lowest blocks are
/// kept, so that the findings do not depend on the host's threads.
struct Cell {
  uint32_t launch = 0;      // 0: not touched yet
  uint32_t value = 0;       // the last written value
  bool is_counted = false;  // True if it is counted among the launch's races
  bool is_weak = false;     // True if an access was neither atomic nor volatile
  uint16_t overlapped =
      0;  // the number, from 1, of an unordered launch that has read the place: see HazardContext
  Toucher write, read, second_read;
};

class DeviceShadow;

/// The shadow of one allocation.
class BufferShadow {
 public:
  BufferShadow(DeviceShadow& all, uint64_t base, uint64_t bytes, bool is_written);
  ~BufferShadow();
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
  uint64_t bytes() const { return bytes_; }
  /// Returns the number of bytes that were written when the last launch began, if they all lie at the start; else
  /// 0.
  uint64_t written_before_launch() const { return written_before_; }
  void begin_launch();

  // --- the threads that touched them: cells of `unit` bytes, one unit per launch ---
  /// Returns the cell of the address. The next cells follow up to the end of its chunk. Returns nullptr if there
  /// is no memory for it.
  Cell* cell(uint64_t address, uint32_t unit) {
    const uint64_t offset = address - base_;
    const std::vector<std::atomic<Cell*>>& chunks = unit == 1 ? narrow_ : wide_;
    Cell* const chunk = chunks[offset / CHUNK].load(std::memory_order_acquire);
    Cell* const first = chunk != nullptr ? chunk : make_chunk(offset / CHUNK, unit);
    return first == nullptr ? nullptr : first + offset % CHUNK / unit;
  }
  /// Returns the lock of the cells and marks in the KiB around the address.
  std::atomic_flag& lock(uint64_t address) { return locks_[(address - base_) / LOCKED % 64]; }

  /// Returns the end of the bytes that have the address's lock.
  uint64_t end_of_lock(uint64_t address) const {
    return base_ + ((address - base_) / LOCKED + 1) * LOCKED;
  }

  /// Notes that a launch reads or writes the allocation. Only the last launch of each is kept.
  void note(uint32_t launch, bool writes) {
    std::atomic<uint32_t>& last = writes ? written_in_ : read_in_;
    if (last.load(std::memory_order_relaxed) != launch) last = launch;
  }
  /// True if a thread of this or a later launch wrote the place, or only read it. False if only an access to the
  /// allocation is known.
  bool was_touched(uint64_t address, uint32_t launch, bool writes) const;
  /// True if host code may wait for the place by polling it: no access of the last launch was weak.
  bool is_for_messages(uint64_t address, uint32_t launch) const;
  /// Calls found(address, launch, wrote) for each place of the range that a launch from `first_launch` on has touched, until it
  /// returns true.
  template <typename Found>
  void for_touched(uint64_t first, uint64_t past_end, uint32_t first_launch, Found found) const {
    for (const uint64_t unit : {uint64_t{1}, uint64_t{4}}) {
      const auto& chunks = unit == 1 ? narrow_ : wide_;
      for (uint64_t at = (first - base_) / unit * unit; at < past_end - base_;) {
        const Cell* const cells = chunks[at / CHUNK].load(std::memory_order_acquire);
        const uint64_t end = std::min(past_end - base_, (at / CHUNK + 1) * CHUNK);
        for (; cells != nullptr && at < end; at += unit) {
          const Cell& cell = cells[at % CHUNK / unit];
          if (cell.launch >= first_launch &&
              found(base_ + at, cell.launch, cell.write.is_somebody()))
            return;
        }
        at = (end + unit - 1) / unit * unit;
      }
    }
  }
  uint32_t read_in() const { return read_in_; }
  uint32_t written_in() const { return written_in_; }

 private:
  // Bytes that have one lock.
  static constexpr uint64_t LOCKED = 1024;
  // Bytes whose cells are allocated together.
  static constexpr uint64_t CHUNK = uint64_t{64} * 1024;
  Cell* make_chunk(uint64_t chunk, uint32_t unit);
  bool is_marked(uint64_t first, uint64_t past_end) const;
  bool has_no_mark(uint64_t first, uint64_t past_end) const;

  const uint64_t base_, bytes_;
  std::atomic<bool> all_written_;
  uint64_t written_before_ = 0;
  std::atomic<uint32_t> read_in_ = 0, written_in_ = 0;
  LazyBytes marks_;  // one bit per byte
  std::mutex mutex_;
  std::vector<LazyBytes> memory_;                  // memory of the chunks
  std::vector<std::atomic<Cell*>> narrow_, wide_;  // chunks of one-byte and four-byte cells
  std::atomic<bool> has_no_more_{false};
  uint64_t taken_ = 0;
  std::array<std::atomic_flag, 64> locks_{};
  DeviceShadow& all_;
};

/// Holds a place's lock while consecutive accesses need the same lock.
class PlaceLock {
 public:
  explicit PlaceLock(bool is_needed) : is_needed_(is_needed) {}
  ~PlaceLock() { release(); }
  PlaceLock(const PlaceLock&) = delete;
  PlaceLock& operator=(const PlaceLock&) = delete;

  void take(std::atomic_flag& lock) {
    if (!is_needed_ || &lock == held_) return;
    release();
    while (lock.test_and_set(std::memory_order_acquire)) {
    }
    held_ = &lock;
  }
  void release() {
    if (held_ != nullptr) held_->clear(std::memory_order_release);
    held_ = nullptr;
  }

 private:
  bool is_needed_;
  std::atomic_flag* held_ = nullptr;
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
