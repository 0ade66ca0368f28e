// The order between the accesses of a launch, as far as a program may rely on it: which thread has waited for
// which.
//
// Each block has a clock. It advances when some of the block's threads meet, or when they signal that they are
// done. An access is stamped with its block's time. A thread knows of another thread's access if it has met that
// thread since, or has learned of the access through a variable. The scheme is that of vector clocks (Mattern,
// 1989) and their short forms in FastTrack (Flanagan and Freund, 2009), shortened again by a GPU's structure:
// barriers that all threads of a block pass, and warps.
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

/// The times up to which the work of some threads is known to be done.
class Knowledge {
 public:
  /// Learns that the whole block's work, or one thread's, is done up to this time.
  void learn_of_block(uint64_t block, Time until) { learn(who(block, ALL), until); }
  void learn_of_thread(uint64_t block, uint32_t thread, Time until) {
    learn(who(block, thread), until);
  }
  /// Learns of a thread's message alone. The thread's earlier work without a fence is not known by it.
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

/// Messages between threads through variables in memory. A thread that has passed a fence and then writes to a
/// variable (an atomic, or a volatile store) tells its knowledge to each reader of the variable.
class Messages {
 public:
  /// The sender of a message, and its time.
  struct Teller {
    uint64_t block = 0;
    uint32_t thread = 0;
    Time time = 0;
  };
  /// Leaves knowledge for the whole device, and knowledge for the threads of the teller's block alone.
  void leave(uint64_t address, const Teller& teller, const Knowledge* to_device,
             const Knowledge* to_block);
  /// Returns a number that grows with each message left at the address; 0: none was left.
  uint64_t version(uint64_t address) const;
  /// Adds all knowledge left there for the block.
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

/// The order within one block, and its threads' knowledge of other blocks.
class BlockOrder {
 public:
  /// Begins a block with this many threads. `messages`: the messages of the launch, for variables in global memory.
  void start(uint64_t block, uint32_t threads, Messages& messages);

  /// Returns the stamp of an access that happens now.
  Time now() const { return now_; }
  /// True if the `other` thread's action at `then` happened before any action of `thread` from now on.
  bool is_after(uint32_t thread, uint32_t other, Time then) const {
    return then <= all_met_ || thread == other || is_after_in_part(thread, other, then);
  }
  /// The same for a thread of another block.
  bool is_after(uint32_t thread, uint64_t block, uint32_t other, Time then) const;

  /// Returns the times, by thread, up to which `thread` knows that their work is done.
  std::vector<Time> known_to(uint32_t thread) const;

  /// Records that all threads of the block met.
  void meet();
  /// Records that these warps met. They also know of the work of warps in `passed_by`, which came by earlier
  /// without waiting, up to the time given.
  void meet(const std::vector<uint32_t>& warps,
            const std::vector<std::pair<uint32_t, Time>>& passed_by = {});
  /// Records that a warp passes a meeting point without waiting. Returns the time up to which the others may know
  /// of its work.
  Time pass_by() { return now_++; }
  /// Records that these lanes of a warp met. `live`: all its live lanes.
  void meet(uint32_t warp, uint32_t lanes, uint32_t live);

  // --- mbarriers, by their offsets in shared memory ---
  /// Stands for the copies of the block in the place of a thread.
  uint32_t copies() const { return threads_; }
  /// Records that a thread, or copies(), arrives: a thread that passes the phase knows of its work so far.
  void arrive(uint32_t thread, uint64_t mbarrier);
  /// Records that the phase under way is complete.
  void complete_phase(uint64_t mbarrier);
  /// Records that a thread's wait for the last complete phase succeeded.
  void pass_phase(uint32_t thread, uint64_t mbarrier);

  /// Records that the lanes passed a fence: they may now tell others their knowledge.
  void fence(uint32_t warp, uint32_t lanes, bool for_device);
  /// Records that the thread writes (tell) or reads (listen) the variable in a way that others may rely on.
  void tell(uint32_t thread, uint64_t address, bool is_shared);
  void listen(uint32_t thread, uint64_t address, bool is_shared);
  /// True if `thread` knows that the `other` thread of the block sent its message at `then`. An atomic through
  /// which a thread learns of others is then itself done.
  bool is_after_telling(uint32_t thread, uint64_t block, uint32_t other, Time then) const;
  /// True if the variable has carried a message.
  bool is_message(uint64_t address, bool is_shared) const;

 private:
  using Known = std::shared_ptr<const Knowledge>;
  using LaneTimes = std::array<Time, size_t{WARP} * WARP>;
  /// A thread's knowledge beyond the times below. Made when the first thread has any.
  struct Extra {
    Known heard;                        // knowledge of others
    Known for_device;                   // knowledge that may be told to all
    Known for_block;                    // knowledge that may be told within the block
    uint64_t address = 0, version = 0;  // of the last message heard
  };

  /// Times by thread, the copies last, up to which their work is known to be done.
  using Times = std::vector<Time>;
  using SharedTimes = std::shared_ptr<const Times>;
  /// An mbarrier: the knowledge of the arrivals of the current phase, and of the arrivals of all complete phases.
  struct Phases {
    Times arriving;
    SharedTimes complete;
  };

  bool is_after_in_part(uint32_t thread, uint32_t other, Time then) const;
  Time known_by_meetings(uint32_t thread, uint32_t other) const;
  SharedTimes united(const SharedTimes& one, const SharedTimes& other);
  void share_phases(const std::vector<uint32_t>& threads);
  void need_extras();
  void share(const std::vector<uint32_t>& threads);
  Messages& messages(bool is_shared) { return is_shared ? own_messages_ : *messages_; }

  uint64_t block_ = 0;
  uint32_t threads_ = 0;
  uint32_t warps_ = 0;
  Time now_ = 1;
  Time all_met_ = 0;
  std::vector<Time> warp_met_;                     // by warp
  std::vector<std::unique_ptr<LaneTimes>> lanes_;  // by warp: [lane][other], if some lanes met
  std::vector<Time> warps_met_;                    // [warp][other], if some warps met
  std::vector<Extra> extras_;
  std::unordered_map<uint64_t, Phases> phases_;  // by mbarrier
  std::vector<SharedTimes> passed_;         // by thread, from mbarriers; made when one is passed
  std::array<SharedTimes, 3> last_united_;  // two, and their union: neighbours ask for the same
  Messages* messages_ = nullptr;
  Messages own_messages_;  // in shared memory
};

}  // namespace simulator
