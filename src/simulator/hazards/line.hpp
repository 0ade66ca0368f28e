// The threads that touched 32 neighbouring cells of global memory in a launch.
//
// Most accesses are regular: a warp's lanes touch neighbouring cells, or one thread goes along a row. A line keeps such
// accesses as runs, each of which stands for many cells. If a line's accesses are too irregular, or a race is possible, it
// spells out its cells. Both forms say the same.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "simulator/hazards/order.hpp"

namespace simulator {

/// A thread that touched a place: its block and instruction, and the time of its block. Only the low 32 bits of a
/// block's number are kept. Only the largest grids have more blocks.
struct Toucher {
  static constexpr uint32_t NOBODY = (1u << 22) - 1;
  static constexpr Time LAST_TIME = (1u << 22) - 1;

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

/// The threads that touch the cells of a line: cell c is touched by thread `first` + (c + phase) / stride.
struct ThreadMap {
  static constexpr uint32_t ONE_THREAD = 32;  // as `stride`: `first` touches all cells

  int32_t first : 12;  // of cell 0, which need not be touched
  uint32_t stride : 6;
  uint32_t phase : 6;  // less than the stride

  /// Returns the map by which `thread` touches `cell` as the first of a stride's cells.
  static ThreadMap from(uint32_t thread, uint32_t cell, uint32_t stride) {
    if (stride == ONE_THREAD) return {static_cast<int32_t>(thread), stride, 0};
    const uint32_t phase = (stride - cell % stride) % stride;
    return {static_cast<int32_t>(thread - (cell + phase) / stride), stride, phase};
  }
  int of(uint32_t cell) const {
    if (stride == ONE_THREAD) return first;
    return first + static_cast<int>((cell + phase) / stride);
  }
  bool operator==(const ThreadMap&) const = default;
};

/// Accesses of the threads of one block by one instruction at one time, to some cells of a line.
struct Run {
  enum class Role : uint32_t { write, read, second_read };  // as in a Cell

  uint32_t cells;  // one bit each
  uint32_t block;
  Time time;
  uint32_t instruction : 22;
  Role role : 2;
  bool has_also : 1;  // True if the threads of `also` did the same later
  ThreadMap threads, also;
};

/// Gives memory to lines. Thread-safe.
class LineMemory {
 public:
  virtual ~LineMemory() = default;
  /// Returns `bytes` of memory, or nullptr if there are none.
  virtual void* get(uint32_t bytes) = 0;
  /// Takes back memory from get().
  virtual void put(void* memory, uint32_t bytes) = 0;
};

/// 32 cells of one or four bytes. It lies in zeroed memory, and has its own lock.
class Line {
 public:
  static constexpr uint32_t CELLS = 32;
  /// Returns the most memory that a line asks for at once, in bytes.
  static constexpr uint32_t most_bytes() { return ALL_CELLS * sizeof(Run); }

  void lock() {
    while (lock_.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock() { lock_.clear(std::memory_order_release); }

  // All functions below need the lock.

  /// Notes accesses in the form of runs if they cannot be a race. Else it changes nothing that matters and returns false: then
  /// the accesses belong into cells(). `known`: to the warp. `keeps_earlier`: what earlier launches touched still matters.
  bool touch(uint32_t launch, const Run& me, const WarpKnowledge& known, LineMemory& memory,
             bool keeps_earlier);
  /// Spells out the cells, and returns them. Returns nullptr if there is no memory for it. `values`: those written last, in
  /// cells of `unit` bytes; nullptr: none are known.
  Cell* cells(uint32_t launch, LineMemory& memory, bool keeps_earlier, const std::byte* values,
              uint32_t unit);
  /// The last launch that touched a cell. Accesses in the form of runs count as weak.
  struct Touch {
    uint32_t launch = 0;  // 0: none
    bool wrote = false;
    bool is_weak = false;  // True if an access was neither atomic nor volatile
  };
  Touch last_touch(uint32_t cell) const;
  /// Returns a block such that reads of these cells by any later block change nothing, until somebody writes: two blocks up to it
  /// have read them, and no more than two are kept. Nothing if there is none.
  std::optional<uint32_t> settled_after(uint32_t cells) const;
  /// Returns the last launch that touched one of its cells, or 0.
  uint32_t last_launch() const { return launch_; }

 private:
  // Numbers of runs: in the line itself, and in memory of its own. The cells have the place of ALL_CELLS runs.
  static constexpr uint32_t OWN_RUNS = 2, MORE_RUNS = 6, MOST_RUNS = 20;
  static constexpr uint32_t ALL_CELLS = (CELLS * sizeof(Cell) + sizeof(Run) - 1) / sizeof(Run);

  const Run* runs() const {
    return count_ <= OWN_RUNS ? own_.data() : static_cast<const Run*>(more_);
  }
  Run* runs() { return count_ <= OWN_RUNS ? own_.data() : static_cast<Run*>(more_); }
  bool begin(uint32_t launch, uint32_t cells, bool keeps_earlier);
  bool touch_again(const Run& me, const WarpKnowledge& known);
  bool reserve(uint32_t runs, LineMemory& memory);
  bool append(const Run& me, LineMemory& memory);

  std::array<Run, OWN_RUNS> own_;
  void* more_;       // for more runs, or the cells
  uint32_t launch_;  // the last that touched it; 0: none
  std::atomic_flag lock_;
  bool has_cells_;    // True if the cells are spelled out, in more_
  uint8_t count_;     // the number of runs
  uint8_t capacity_;  // of more_, in runs
};
static_assert(sizeof(Line) == 64, "a line of the host's cache");

/// Holds a line's lock while consecutive accesses need the same.
class LineLock {
 public:
  LineLock() = default;
  ~LineLock() { take(nullptr); }
  LineLock(const LineLock&) = delete;
  LineLock& operator=(const LineLock&) = delete;

  /// Gives the last line back. `line`: nullptr for none.
  void take(Line* line) {
    if (line == held_) return;
    if (held_ != nullptr) held_->unlock();
    if (line != nullptr) line->lock();
    held_ = line;
  }

 private:
  Line* held_ = nullptr;
};

}  // namespace simulator
