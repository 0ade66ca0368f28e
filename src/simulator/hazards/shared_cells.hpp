// Shadow of a block's shared memory: the threads that touched each cell. A warp's access is noted in one go if it is regular
// and no hazard is possible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/hazards/order.hpp"

namespace simulator {

/// The access of one thread to a cell, as a word. The time has the highest bits, so comparing words compares times.
class Touch {
 public:
  Touch() = default;  // by nobody
  /// `thread`: its number in the cluster. `by_copy`: a copy wrote the cell, no store of a thread.
  Touch(Time time, uint32_t instruction, uint32_t thread, bool by_copy = false)
      : bits_(uint64_t{time < LAST_TIME ? time : LAST_TIME} << TIME |
              uint64_t{instruction} << INSTRUCTION | (by_copy ? BY_COPY : 0) | thread) {}

  bool is_somebody() const { return bits_ << 1 != 0; }
  Time time() const { return static_cast<Time>(bits_ << 1 >> (TIME + 1)); }
  uint32_t instruction() const {
    return static_cast<uint32_t>(bits_ >> INSTRUCTION) & ((1u << (TIME - INSTRUCTION)) - 1);
  }
  uint32_t thread() const { return static_cast<uint32_t>(bits_ & (BY_COPY - 1)); }
  bool by_copy() const { return (bits_ & BY_COPY) != 0; }

  /// True if a copy to the cell, or a late read of it, is under way. Kept with the last write.
  bool is_busy() const { return (bits_ & BUSY) != 0; }
  void set_busy(bool busy) { bits_ = busy ? bits_ | BUSY : bits_ & ~BUSY; }

  /// Returns the same access by a thread of a higher number.
  Touch by_later_thread(uint32_t distance) const {
    Touch later = *this;
    later.bits_ += distance;
    return later;
  }
  /// True if it is nobody's, or not later than `time`. False if the cell is busy.
  bool is_until(Time time) const { return bits_ < (uint64_t{time} + 1) << TIME; }
  /// The same, but false for nobody.
  bool is_somebodys_until(Time time) const {
    return bits_ - 1 < ((uint64_t{time} + 1) << TIME) - 1;
  }
  bool is_of_same_warp(Touch other) const {
    return ((bits_ ^ other.bits_) & (BY_COPY - WARP)) == 0;
  }
  bool is_known(const WarpKnowledge& known, uint32_t to_thread) const {
    return !is_busy() && known.covers(to_thread, thread(), time());
  }

 private:
  // From the lowest bit: the thread, BY_COPY, the instruction, the time, BUSY. 26 bits count the meetings of a block that
  // runs for a minute at least.
  static constexpr uint64_t BY_COPY = uint64_t{1} << 15, BUSY = uint64_t{1} << 63;
  static constexpr int INSTRUCTION = 16, TIME = 37;
  static constexpr Time LAST_TIME = (1u << (63 - TIME)) - 1;

  uint64_t bits_ = 0;
};

/// A warp's load or store of the block's shared memory, by cells.
struct CellAccess {
  Touch me;             // of lane 0
  uint32_t thread = 0;  // lane 0's number in the cluster
  WarpKnowledge known;  // common to the lanes
  uint32_t cells = 0;   // of each lane, a power of two
  bool writes = false;

  Touch of_lane(uint32_t lane) const { return me.by_later_thread(lane); }
  /// True if the lane's thread knows of the access.
  bool knows(uint32_t lane, Touch other) const {
    return known.covers(thread + lane, other.thread(), other.time());
  }
};

class SharedCells {
 public:
  /// The part of a cell that only asynchronous copies and products use.
  struct Rare {
    uint32_t copy = 0;         // the instruction of a copy to it that has not landed, plus one
    uint16_t copier = 0;       // the thread's number in the cluster
    uint16_t late_thread = 0;  // the thread of the last late read
    uint32_t late_reads = 0;   // by bulk stores and products that have not ended
    uint32_t late_reader = 0;  // the instruction of the last one
  };
  /// One cell.
  struct Cell {
    Touch &write, &read, &other_read;
    uint32_t& value;  // the last written value
    Rare& rare;
    bool& has_rare;

    void set_write(Touch touch) const {
      write = touch;
      note_busy();
    }
    /// Call it after a change of `rare`.
    void note_busy() const {
      const bool is_busy = rare.copy != 0 || rare.late_reads > 0;
      write.set_busy(is_busy);
      has_rare |= is_busy;
    }
    bool is_written() const { return write.is_somebody(); }
    /// True if the last write was a thread's store, not a copy.
    bool is_stored() const { return is_written() && !write.by_copy(); }
  };

  explicit SharedCells(size_t count)
      : writes_(count), reads_(count), other_reads_(count), values_(count), rare_(count) {}
  void clear();

  size_t size() const { return writes_.size(); }
  Cell operator[](size_t i) {
    return {writes_[i], reads_[i], other_reads_[i], values_[i], rare_[i], has_rare_};
  }
  Touch last_write(size_t i) const { return writes_[i]; }
  /// Returns the instruction of a copy to the cell that has not landed, plus one; 0: there is none.
  uint32_t copy_to(size_t i) const { return rare_[i].copy; }

  // Each of these notes an access if it cannot be a hazard. Else it changes nothing and returns false. `values`: of a store,
  // one for each cell of the lane or lanes.
  /// Neighbouring lanes, `lanes` from `first_lane` on: the first one touches the cells from `first` on, and each further one
  /// those `stride` cells on. No two lanes touch the same.
  bool touch_row(const CellAccess& access, uint32_t first_lane, uint32_t lanes, size_t first,
                 ptrdiff_t stride, const uint32_t* values);
  /// Lanes that read the same cells.
  bool read_place(const CellAccess& access, size_t first, uint32_t lanes);
  /// One lane.
  bool touch_one(const CellAccess& access, uint32_t lane, size_t first, const uint32_t* values);

 private:
  bool is_free(const CellAccess& access, uint32_t lane, size_t cell) const;
  void note_read(const CellAccess& access, uint32_t lane, size_t cell);
  template <typename CellOf>
  bool touch_apart(const CellAccess& access, uint32_t first_lane, size_t count,
                   const CellOf& cell_of, const uint32_t* values);
  template <typename CellOf>
  void read_apart(const CellAccess& access, uint32_t first_lane, size_t count,
                  const CellOf& cell_of);

  std::vector<Touch> writes_, reads_, other_reads_;
  std::vector<uint32_t> values_;
  std::vector<Rare> rare_;
  bool has_rare_ = false;  // True if any of them was in use since clear()
};

}  // namespace simulator
