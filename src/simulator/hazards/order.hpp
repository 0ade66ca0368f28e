// Who has waited for whom: the order between the accesses of a launch, as far as a program may rely on it.
//
// Each block has a clock that goes on whenever some of its threads meet or say that they are done. An access is
// stamped with the time of its block; a thread knows of another's access if it has met that thread since, or has
// been told through a variable. The scheme is that of vector clocks (Mattern, 1989) and their short forms in
// FastTrack (Flanagan and Freund, 2009), made short again by what a GPU has: barriers that all threads of a block
// pass, and warps.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulator/count/access.hpp"

namespace simulator {

using Time = uint32_t;  // of a block's clock; 0: before the block began

/// Up to which time the work of some threads is known to be done.
class Knowledge {
 public:
  /// The whole block's, or one thread's.
  void learn_of_block(uint64_t block, Time until) { learn(who(block, ALL), until); }
  void learn_of_thread(uint64_t block, uint32_t thread, Time until) {
    learn(who(block, thread), until);
  }
  /// Of a thread's telling alone: what it did before without a fence is not known by that.
  void learn_of_telling(uint64_t block, uint32_t thread, Time until) {
    learn(who(block, thread) + TELLING, until);
  }
  void learn(const Knowledge& other);
  bool covers(uint64_t block, uint32_t thread, Time time) const;
  bool covers_telling(uint64_t block, uint32_t thread, Time time) const {
    return covers(who(block, thread) + TELLING, time);
  }

 private:
  static constexpr uint32_t ALL = 1024;  // in place of a thread's number
  static constexpr uint32_t TELLING = 2048;
  static uint64_t who(uint64_t block, uint32_t thread) { return block * 4096 + thread; }
  void learn(uint64_t who, Time until);
  bool covers(uint64_t who, Time time) const;

  std::map<uint64_t, Time> until_;
};

/// What threads tell each other through variables in memory: one that has passed a fence and then writes to a
/// variable (an atomic, or a volatile store) tells whoever reads the variable so.
class Messages {
 public:
  /// Who tells, and when.
  struct Teller {
    uint64_t block = 0;
    uint32_t thread = 0;
    Time time = 0;
  };
  /// What goes to all the device, and what to the threads of the teller's block alone.
  void leave(uint64_t address, const Teller& teller, const Knowledge* to_device,
             const Knowledge* to_block);
  /// Grows with each message that is left at the address; 0: there is none.
  uint64_t version(uint64_t address) const;
  /// All that was left there for the block.
  void read(uint64_t address, uint64_t block, Knowledge& into) const;

 private:
  struct Box {
    Knowledge to_device;
    std::map<uint64_t, Knowledge> to_block;
    uint64_t version = 0;
  };
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, Box> boxes_;
};

/// The order within one block, and what its threads know of others.
class BlockOrder {
 public:
  /// A block with so many threads begins. `messages`: of the launch, for variables in global memory.
  void start(uint64_t block, uint32_t threads, Messages& messages);

  /// The stamp of an access that happens now.
  Time now() const { return now_; }
  /// Whether what the `other` thread of the block did at `then` has happened before whatever `thread` does now.
  bool is_after(uint32_t thread, uint32_t other, Time then) const {
    return then <= all_met_ || thread == other || is_after_in_part(thread, other, then);
  }
  /// The same of a thread of another block.
  bool is_after(uint32_t thread, uint64_t block, uint32_t other, Time then) const;

  /// All threads of the block have met.
  void meet();
  /// These warps have, and know of those that came by before without waiting, each up to when it did.
  void meet(const std::vector<uint32_t>& warps,
            const std::vector<std::pair<uint32_t, Time>>& passed_by = {});
  /// A warp comes by where others will meet, and goes on. Up to when they may know of it.
  Time pass_by() { return now_++; }
  /// These lanes of a warp have; `live` are all that it has.
  void meet(uint32_t warp, uint32_t lanes, uint32_t live);

  /// The lanes have passed a fence: what they know of, they may tell others.
  void fence(uint32_t warp, uint32_t lanes, bool for_device);
  /// The thread writes the variable, or reads it, in a way that others may rely on.
  void tell(uint32_t thread, uint64_t address, bool is_shared);
  void listen(uint32_t thread, uint64_t address, bool is_shared);
  /// Whether `thread` knows that the `other` thread of the block told what it did at `then`: an atomic by which somebody
  /// learns of others is itself done by then.
  bool is_after_telling(uint32_t thread, uint64_t block, uint32_t other, Time then) const;
  /// Whether the variable has been used to tell something.
  bool is_message(uint64_t address, bool is_shared) const;

 private:
  using Known = std::shared_ptr<const Knowledge>;
  using LaneTimes = std::array<Time, size_t{WARP} * WARP>;
  /// What goes beyond the times below; made when the first thread has any.
  struct Extra {
    Known heard;                        // of others
    Known for_device;                   // may be told to all
    Known for_block;                    // may be told within the block
    uint64_t address = 0, version = 0;  // of what was heard last
  };

  bool is_after_in_part(uint32_t thread, uint32_t other, Time then) const;
  void need_extras();
  void share(const std::vector<uint32_t>& threads);
  Messages& messages(bool is_shared) { return is_shared ? own_messages_ : *messages_; }

  uint64_t block_ = 0;
  uint32_t threads_ = 0;
  uint32_t warps_ = 0;
  Time now_ = 1;
  Time all_met_ = 0;
  std::vector<Time> warp_met_;                     // by warp
  std::vector<std::unique_ptr<LaneTimes>> lanes_;  // by warp: [lane][other], where some have met
  std::vector<Time> warps_met_;                    // [warp][other], where some have met
  std::vector<Extra> extras_;
  Messages* messages_ = nullptr;
  Messages own_messages_;  // in shared memory
};

}  // namespace simulator
