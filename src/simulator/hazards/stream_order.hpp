// Launches, copies and fills of different streams that nothing orders, and that touch the same bytes.
//
// The shadow of a place knows the last launch that touched it. A later launch that touches it too looks whether it comes after
// that one. Copies and fills leave no mark in the shadow: they are kept as ranges, and compared with each launch that may run at
// the same time.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "simulator/hazards/clock.hpp"

namespace simulator {

/// A launch, copy or fill, and its place in the order of all streams' work.
struct StreamWork {
  const char* name = "";  // the kernel, or the function of the API; stays valid
  bool is_kernel = false;
  uint64_t operation = 0;  // its number in the order of the calls
  uint32_t stream = 0;
  uint64_t position = 0;    // in the stream, from 1
  bool has_others = false;  // True if the program has more streams
  Clock before;             // itself, and all that comes before it

  bool is_before(const StreamWork& other) const { return other.before.of(stream) >= position; }
};

/// Bytes that a copy or fill touches: rows in planes.
struct TouchedBytes {
  uint64_t first = 0;
  uint64_t width = 0, pitch = 0, height = 1, slice = 0, depth = 1;
  bool writes = false;

  uint64_t past_end() const { return first + (depth - 1) * slice + (height - 1) * pitch + width; }
  /// Calls each(first, past_end) for its rows; for one range if there is no gap. Stops if it returns true, and returns true.
  template <typename Each>
  bool any_row(Each each) const {
    const bool is_one = depth == 1 && (height == 1 || pitch == width);
    if (is_one) return each(first, past_end());
    for (uint64_t plane = 0; plane < depth; ++plane) {
      for (uint64_t row = 0; row < height; ++row) {
        const uint64_t at = first + plane * slice + row * pitch;
        if (each(at, at + width)) return true;
      }
    }
    return false;
  }
  /// Returns an address that both touch.
  std::optional<uint64_t> meets(const TouchedBytes& other) const;
};

/// Two operations of different streams that nothing orders and that touch the same place, one of them as a writer. `before` was
/// called first.
struct StreamConflict {
  StreamWork before, after;
  bool before_writes = false, after_writes = false;
  uint64_t address = 0;
};

/// A launch, copy or fill that ran before, and that is not ordered with the current one.
struct Unordered {
  uint32_t number = 0;  // see DeviceShadow::begin_launch()
  StreamWork work;
  std::vector<TouchedBytes>
      bytes;  // of a copy, a fill or a repeated launch; a launch that ran has left marks instead
};

/// The work of all streams so far. Thread-safe.
class StreamOrder {
 public:
  /// During its lifetime, the thread's next launch is this work.
  class Beginning {
   public:
    explicit Beginning(const StreamWork& work);
    ~Beginning();
    Beginning(const Beginning&) = delete;
    Beginning& operator=(const Beginning&) = delete;
  };
  /// Returns the work that the thread begins, or nullptr.
  static const StreamWork* beginning();

  /// Adds work with a number. Returns the earlier work that is not ordered with it, by number.
  std::vector<Unordered> add(uint32_t number, const StreamWork& work,
                             std::vector<TouchedBytes> bytes);
  /// Adds work, unless earlier work is not ordered with it: then it returns false.
  bool add_ordered(uint32_t number, const StreamWork& work, std::vector<TouchedBytes> bytes);
  void add_conflict(const Unordered& earlier, const StreamWork& now, uint64_t address,
                    bool earlier_writes, bool now_writes);
  /// Returns the conflicts found since the last call.
  std::vector<StreamConflict> take_conflicts();

 private:
  std::vector<Unordered> unordered_with(const StreamWork& work) const;
  void keep(Unordered done);

  std::mutex mutex_;
  std::map<uint32_t, std::deque<Unordered>> of_stream_;  // by position
  std::vector<StreamConflict> conflicts_;
};

}  // namespace simulator
