// The registers of a warp that hold values which a shuffle read from an absent lane. Plain code, not compiled per
// level.
//
// Reading an absent lane is harmless if nothing uses the value. In a sum by halves the upper lanes read beyond
// the lanes that take part. A lane at the end of a row reads its neighbour and then ignores the value. So each
// value is followed from register to register, and is reported when it decides something or is stored. A value
// that goes through local memory or a call is not followed.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/decode/program.hpp"
#include "simulator/execute/state/warp.hpp"
#include "simulator/execute/watch/lane_hazards.hpp"

namespace simulator {

/// Follows the values of one warp. Used only if hazards are looked for.
class UndefinedValues {
 public:
  bool any() const { return !marks_.empty(); }
  void clear() { marks_.clear(); }

  /// Call it before the active lanes execute an instruction that is not a shuffle.
  void before(const Warp& w, const Op& op);
  /// Call it before the active lanes execute a shuffle.
  void before_shuffle(const Warp& w, const Op& op);
  /// Call it after the shuffle. Warp::sources holds the lanes that were read.
  void after_shuffle(const Warp& w, const Op& op);
  /// Call it before the active lanes leave a basic block by this instruction.
  void before_leaving(const Warp& w, uint32_t instruction);

 private:
  /// The read that gave a value.
  struct Origin {
    AbsentRead read;
    bool is_told = false;
  };
  /// For each lane an index into origins_ plus one; 0 for a defined value.
  using Mark = std::array<uint32_t, WARP>;

  /// An operand, and the lanes in which it alone decides the result: false and anything, zero times anything.
  struct Factor {
    int32_t key = 0;
    uint32_t decides = 0;
  };

  const Mark* mark_of(int32_t key) const;
  Mark result_of(const Warp& w, const Op& op, uint32_t lanes) const;
  void merge_decided(Mark& into, uint32_t lanes, const Factor& a, const Factor& b) const;
  void set(int32_t key, uint32_t lanes, const Mark& mark);
  void merge(Mark& into, int32_t key) const;
  void report_use(const Warp& w, uint32_t lanes, const Mark& mark, uint32_t instruction);

  std::vector<std::pair<int32_t, Mark>> marks_;  // by a key of RegisterUse
  std::vector<Origin> origins_;
  uint32_t shuffling_ = 0;  // the lanes that execute the shuffle
  std::array<uint32_t, WARP>
      masks_{};  // each lane's mask; the result may overwrite the mask's register
};

}  // namespace simulator
