// Which registers of a warp hold what a shuffle got from a lane that took no part. Plain code, of no level.
//
// Reading such a lane is harmless as long as nobody uses what comes of it: in a sum by halves the upper lanes
// read beyond those that take part, and a lane at the end of a row reads its neighbour and then chooses not to
// look. So what was read is followed from register to register, and told where it decides something or is
// stored. What goes through local memory or a call is lost sight of.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/decode/program.hpp"
#include "simulator/execute/state/warp.hpp"
#include "simulator/execute/watch/lane_hazards.hpp"

namespace simulator {

/// Used for one warp, and only where hazards are looked for.
class UndefinedValues {
 public:
  bool any() const { return !marks_.empty(); }
  void clear() { marks_.clear(); }

  /// The active lanes are about to execute an instruction that is no shuffle.
  void before(const Warp& w, const Op& op);
  /// The same for a shuffle.
  void before_shuffle(const Warp& w, const Op& op);
  /// They have executed it; Warp::sources says whom they read.
  void after_shuffle(const Warp& w, const Op& op);
  /// They are about to leave a basic block by this instruction.
  void before_leaving(const Warp& w, uint32_t instruction);

 private:
  /// The read that a value came from.
  struct Origin {
    AbsentRead read;
    bool is_told = false;
  };
  /// For each lane an index into origins_ plus one, 0 for a value that is defined.
  using Mark = std::array<uint32_t, WARP>;

  /// An operand, and the lanes in which it alone decides what the result is: false and anything, zero times anything.
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
  uint32_t shuffling_ = 0;  // the lanes that execute the shuffle,
  std::array<uint32_t, WARP>
      masks_{};  // and what each names; its result may take the place of the mask
};

}  // namespace simulator
