// What is known of device memory beside its bytes: which of them somebody wrote, and who touched them in the
// launch under way.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "simulator/hazards/order.hpp"
#include "simulator/memory/memory.hpp"

namespace simulator {

/// Zeroed memory that the host gives only where it is touched; none where it cannot be had.
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

/// One who touched a place: a thread of a block, by an instruction, at a time of its block. Of blocks' numbers the low
/// half is kept; none but the largest of grids has more.
struct Toucher {
  static constexpr uint32_t NOBODY = (1u << 22) - 1;

  uint32_t block = 0;
  uint32_t time : 22 = 0;
  uint32_t thread : 10 = 0;
  uint32_t instruction : 22 = NOBODY;
  uint32_t also : 10 =
      0;  // another thread of the block that did the same since; `thread` itself: none

  bool is_somebody() const { return instruction != NOBODY; }
};

/// Who touched some bytes in a launch. Of several that are in no order it is those of the lowest blocks, whichever
/// came first: what is found does not depend on the host's threads.
struct Cell {
  uint32_t launch = 0;      // 0: nobody yet
  uint32_t value = 0;       // the last written
  bool is_counted = false;  // among the races of the launch
  Toucher write, read, second_read;
};

class DeviceShadow;

/// Of one allocation.
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

  // --- which bytes somebody wrote ---
  void write(uint64_t first, uint64_t past_end);
  /// Whether nobody wrote any of them.
  bool is_untouched(uint64_t first, uint64_t past_end) const {
    return !all_written_.load(std::memory_order_relaxed) && has_no_mark(first, past_end);
  }
  uint64_t bytes() const { return bytes_; }
  /// How many bytes from the first one on were written when the last launch began, where no others were; else 0.
  uint64_t written_before_launch() const { return written_before_; }
  void begin_launch();

  // --- who touched them: cells of `unit` bytes, one unit for all of a launch ---
  /// The cell of the address; the next ones follow up to the end of its chunk. nullptr where there is no memory for it.
  Cell* cell(uint64_t address, uint32_t unit) {
    const uint64_t offset = address - base_;
    const std::vector<std::atomic<Cell*>>& chunks = unit == 1 ? narrow_ : wide_;
    Cell* const chunk = chunks[offset / CHUNK].load(std::memory_order_acquire);
    Cell* const first = chunk != nullptr ? chunk : make_chunk(offset / CHUNK, unit);
    return first == nullptr ? nullptr : first + offset % CHUNK / unit;
  }
  /// Guards the cells and the marks of the KiB around the address.
  std::atomic_flag& lock(uint64_t address) { return locks_[(address - base_) / 1024 % 64]; }

  /// A launch touches it. Which launch read it last, and which wrote it.
  void note(uint32_t launch, bool writes) {
    std::atomic<uint32_t>& last = writes ? written_in_ : read_in_;
    if (last.load(std::memory_order_relaxed) != launch) last = launch;
  }
  /// Whether a thread of that launch, or a later one, has written the place, or just read it. False where no more is
  /// known than that it touched the allocation.
  bool was_touched(uint64_t address, uint32_t launch, bool writes) const;
  uint32_t read_in() const { return read_in_; }
  uint32_t written_in() const { return written_in_; }

 private:
  static constexpr uint64_t CHUNK = uint64_t{64} * 1024;  // bytes whose cells come together
  Cell* make_chunk(uint64_t chunk, uint32_t unit);
  bool is_marked(uint64_t first, uint64_t past_end) const;
  bool has_no_mark(uint64_t first, uint64_t past_end) const;

  const uint64_t base_, bytes_;
  std::atomic<bool> all_written_;
  uint64_t written_before_ = 0;
  std::atomic<uint32_t> read_in_ = 0, written_in_ = 0;
  LazyBytes marks_;  // a bit for each byte
  std::mutex mutex_;
  std::vector<LazyBytes> memory_;                  // of the chunks
  std::vector<std::atomic<Cell*>> narrow_, wide_;  // chunks of cells of one byte, and of four
  std::atomic<bool> has_no_more_{false};
  uint64_t taken_ = 0;
  std::array<std::atomic_flag, 64> locks_{};
  DeviceShadow& all_;
};

/// Holds the lock of the place at work while accesses come that need the same one.
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

/// Of all allocations of a device. All functions may be called from any host thread.
class DeviceShadow {
 public:
  explicit DeviceShadow(const DeviceMemory& of) : memory(of) {}

  const DeviceMemory& memory;

  /// A new allocation, whose bytes nobody wrote yet, or that are taken to be written: host code may do so unseen.
  void allocated(uint64_t base, uint64_t bytes, bool is_written);
  void released(uint64_t base);
  /// Host code wrote these bytes of device memory.
  void written(uint64_t address, uint64_t bytes);
  /// Whether nobody wrote any of them.
  bool is_untouched(uint64_t address, uint64_t bytes) const;

  /// The shadow of a live allocation; of one that nobody told of, all written.
  BufferShadow& of(const Allocation& allocation);

  /// A launch begins; its number.
  uint32_t begin_launch();
  void end_launch();

  /// Memory for cells; none, with a word on stderr, where it is more than the host may be asked for.
  LazyBytes take(uint64_t bytes);
  void give_back(uint64_t bytes) { taken_ -= bytes; }

 private:
  BufferShadow* around(uint64_t address) const;

  mutable std::shared_mutex mutex_;
  std::atomic<uint64_t> taken_{0};
  std::map<uint64_t, std::unique_ptr<BufferShadow>> buffers_;  // by base
  std::vector<std::unique_ptr<BufferShadow>>
      retired_;  // freed while a launch may still look at them
  uint32_t launches_ = 0, under_way_ = 0;
  std::atomic<bool> refusal_said_{false};
};

}  // namespace simulator
