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
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulator/count/access.hpp"
#include "simulator/decode/program.hpp"

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
  void learn(const std::vector<const Knowledge*>& others);
  bool covers(uint64_t block, uint32_t thread, Time time) const;
  bool covers_telling(uint64_t block, uint32_t thread, Time time) const {
    return covers(who(block, thread) + TELLING, time);
  }

 private:
  static constexpr uint32_t ALL = 1024;  // in place of a thread's number
  static constexpr uint32_t TELLING = 2048;
  static uint64_t who(uint64_t block, uint32_t thread) { return block * 4096 + thread; }
  void learn(uint64_t who, Time until);
  void keep_last_times();
  bool covers(uint64_t who, Time time) const;

  std::vector<std::pair<uint64_t, Time>> until_;  // in the order of the numbers
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
  bool is_empty() const { return !has_any_.load(std::memory_order_acquire); }
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
  std::atomic<bool> has_any_ = false;  // spares most readers the lock
};

/// The barrier of all blocks of a cooperative launch. A block that has passed a phase knows of all work before it.
class GridOrder {
 public:
  /// Begins a launch of so many blocks.
  void start(uint64_t blocks) {
    for (std::vector<Time>& times : until_) times.assign(blocks, 0);
  }
  /// Records that a block arrives in a phase, with its work until then. It has passed the phase before.
  void arrive(uint64_t block, uint64_t phase, Time until) { until_[phase % 2][block] = until; }
  /// True if the block's work at this time was done before the phase was complete. For a block that has passed the phase,
  /// but not the next one.
  bool covers(uint64_t phase, uint64_t block, Time time) const {
    return block < until_[phase % 2].size() && time <= until_[phase % 2][block];
  }

 private:
  // By block, for even phases and for odd ones. While some blocks have not yet passed a phase, none can arrive at the next but
  // one. So no two threads of the host use a place at once.
  std::array<std::vector<Time>, 2> until_;
};

/// The knowledge that the lanes of a warp have in common of the work in their block. Beyond it, each lane knows its own work.
struct WarpKnowledge {
  uint32_t warp = 0;
  Time all = 0;       // the work of all threads is known up to this time
  Time own_warp = 0;  // likewise the work of the warp's lanes

  bool covers_warp(uint32_t other, Time then) const {
    return other / WARP == warp && then <= own_warp;
  }
  /// True if the action of thread `other` at `then` happened before any action of `thread`, a lane of the warp, from now on.
  bool covers(uint32_t thread, uint32_t other, Time then) const {
    return then <= all || thread == other || covers_warp(other, then);
  }
};

/// The order within the blocks of a cluster, and their threads' knowledge of other blocks. A block without a cluster is a
/// cluster of one. Each thread has a number in the cluster: the blocks come in the order of their ranks, and each begins with
/// a new warp. Addresses in shared memory contain a block's rank (cluster_address()).
class ClusterOrder {
 public:
  /// Begins a cluster of these blocks, which have this many threads each. `messages`: the messages of the launch, for
  /// variables in global memory.
  void start(const std::vector<uint64_t>& blocks, uint32_t threads, Messages& messages,
             GridOrder& grid);

  uint32_t warps_of_a_block() const { return warps_of_a_block_; }
  /// Returns the rank of a thread's block, or of the block whose copies a number stands for.
  uint32_t rank_of(uint32_t thread) const {
    return thread < threads_ ? thread / (warps_of_a_block_ * WARP) : thread - threads_;
  }
  uint32_t number_of(uint32_t rank, uint32_t thread) const {
    return rank * warps_of_a_block_ * WARP + thread;
  }
  /// Returns the number in the grid of the block with this rank.
  uint64_t block_at(uint64_t rank) const { return blocks_[rank]; }
  /// Returns the rank of this block of the grid, or nothing if it is not in the cluster.
  std::optional<uint32_t> rank_of_block(uint32_t block) const;

  /// Returns the stamp of an access that happens now.
  Time now() const { return now_; }
  /// True if the `other` thread's action at `then` happened before any action of `thread` from now on.
  bool is_after(uint32_t thread, uint32_t other, Time then) const {
    return then <= all_met_ || thread == other || is_after_in_part(thread, other, then);
  }
  /// The same for a thread of another block.
  bool is_after(uint32_t thread, uint64_t block, uint32_t other, Time then) const;

  /// Returns the common knowledge of a warp's lanes in a cluster of one block. Returns nothing if some lanes know more: of
  /// other lanes or warps that they met, or from mbarriers or messages.
  std::optional<WarpKnowledge> common_knowledge(uint32_t warp) const {
    const bool is_plain = blocks_.size() == 1 && !has_heard_ && passed_.empty() &&
                          warps_met_.empty() && !lanes_[warp];
    if (!is_plain) return std::nullopt;
    return WarpKnowledge{warp, all_met_, warp_met_[warp]};
  }

  /// Returns the times, by thread, up to which `thread` knows that their work is done.
  std::vector<Time> known_to(uint32_t thread) const;

  /// Records that all threads of the block with this rank met.
  void meet(uint32_t rank);
  /// Records that these warps met. They also know of the work of warps in `passed_by`, which came by earlier
  /// without waiting, up to the time given.
  void meet(const std::vector<uint32_t>& warps,
            const std::vector<std::pair<uint32_t, Time>>& passed_by = {});
  /// Records that a warp passes a meeting point without waiting. Returns the time up to which the others may know
  /// of its work.
  Time pass_by() { return now_++; }
  /// Records that these lanes of a warp met. `live`: all its live lanes.
  void meet(uint32_t warp, uint32_t lanes, uint32_t live);

  // --- mbarriers, by their addresses ---
  /// Stands for the copies to the block with this rank in the place of a thread.
  uint32_t copies(uint32_t rank) const { return threads_ + rank; }
  /// Records that a thread, or copies(), arrives: a thread that passes the phase knows of its work so far.
  void arrive(uint32_t thread, uint64_t mbarrier);
  /// Records that the phase under way is complete.
  void complete_phase(uint64_t mbarrier);
  /// Records that a thread's wait for the last complete phase succeeded.
  void pass_phase(uint32_t thread, uint64_t mbarrier);

  // --- the cluster's barrier ---
  /// Records that a thread arrives. If it is `relaxed`, the others know of its work up to its last fence only.
  void arrive_at_cluster(uint32_t thread, bool relaxed);
  void complete_cluster();
  void pass_cluster(uint32_t thread) { pass_phase(thread, CLUSTER_BARRIER); }
  /// Records that a thread exits. The cluster's barrier does not wait for it any more.
  void exit(uint32_t thread) { exited_[thread] = now_; }

  // --- the grid's barrier ---
  /// Records that the block with this rank arrives in a phase: one of its threads does so, after all have met.
  void arrive_at_grid(uint32_t rank, uint64_t phase) {
    grid_->arrive(blocks_[rank], phase, now_++);
  }
  /// Records that the same thread passes the phase. The block's threads meet next.
  void pass_grid(uint32_t rank, uint64_t phase) { grid_passed_[rank] = phase + 1; }

  /// Records that the lanes passed a fence: they may now tell others their knowledge.
  void fence(uint32_t warp, uint32_t lanes, bool for_device);
  /// Records that the thread writes (tell) or reads (listen) the variable in a way that others may rely on.
  void tell(uint32_t thread, uint64_t address, bool is_shared);
  void listen(uint32_t thread, uint64_t address, bool is_shared);
  /// True if neither tell() nor listen() would have an effect now.
  bool is_silent(bool is_shared) const {
    return extras_.empty() && (is_shared ? own_messages_ : *messages_).is_empty();
  }
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
  static constexpr uint64_t CLUSTER_BARRIER = ~uint64_t{0};  // in place of an mbarrier's address

  bool is_after_in_part(uint32_t thread, uint32_t other, Time then) const;
  Time known_by_meetings(uint32_t thread, uint32_t other) const;
  SharedTimes united(const SharedTimes& one, const SharedTimes& other);
  void share_phases(const std::vector<uint32_t>& threads);
  void need_extras();
  void share(const std::vector<uint32_t>& threads);
  Messages& messages(bool is_shared) { return is_shared ? own_messages_ : *messages_; }

  uint32_t block_of(uint32_t thread) const { return thread / (warps_of_a_block_ * WARP); }

  std::vector<uint64_t> blocks_;  // their numbers in the grid, by rank
  uint32_t warps_of_a_block_ = 0;
  uint32_t threads_ = 0;  // of all blocks, in whole warps
  uint32_t warps_ = 0;
  Time now_ = 1;
  Time all_met_ = 0;                               // in a cluster of one block
  std::vector<Time> block_met_;                    // by rank, in larger clusters
  std::vector<Time> warp_met_;                     // by warp
  std::vector<std::unique_ptr<LaneTimes>> lanes_;  // by warp: [lane][other], if some lanes met
  std::vector<Time> warps_met_;                    // [warp][other], if some warps met
  std::vector<Extra> extras_;
  bool has_heard_ = false;                       // True if some thread has heard a message
  std::vector<Time> fenced_, exited_;            // by thread: at its last fence, and at its exit
  std::unordered_map<uint64_t, Phases> phases_;  // by mbarrier
  std::vector<SharedTimes> passed_;       // by thread, from mbarriers; made when one is passed
  std::vector<Time> met_before_cluster_;  // by rank: the block's last meeting before an arrival
  SharedTimes last_brought_;  // the knowledge that the last arrival at the cluster's barrier added
  std::array<SharedTimes, 3> last_united_;  // two, and their union: neighbours ask for the same
  Messages* messages_ = nullptr;
  Messages own_messages_;  // in shared memory
  GridOrder* grid_ = nullptr;
  std::vector<uint64_t>
      grid_passed_;  // by rank: the number of the grid's phases that it has passed
};

/// One block's part of its cluster's order. Threads and warps have their numbers in the block. An address in shared memory
/// without a rank belongs to the block.
class BlockOrder {
 public:
  BlockOrder() : cluster_(std::make_shared<ClusterOrder>()) {}
  /// Makes the block a part of the other block's cluster.
  void join(const BlockOrder& other, uint32_t rank) {
    cluster_ = other.cluster_;
    rank_ = rank;
  }
  /// Begins the block. All blocks of a cluster begin before any of them runs.
  void start(const std::vector<uint64_t>& blocks, uint32_t threads, Messages& messages,
             GridOrder& grid) {
    if (rank_ == 0) cluster_->start(blocks, threads, messages, grid);
    first_warp_ = rank_ * cluster_->warps_of_a_block();
  }

  const ClusterOrder& cluster() const { return *cluster_; }
  uint32_t rank() const { return rank_; }
  /// Returns the thread's number in the cluster.
  uint32_t in_cluster(uint32_t thread) const { return first_warp_ * WARP + thread; }
  /// Returns the address with its rank.
  uint64_t whole(uint64_t address) const {
    return address >> CLUSTER_RANK_SHIFT != 0 ? address : cluster_address(rank_, address);
  }

  Time now() const { return cluster_->now(); }
  /// The threads have their numbers in the cluster.
  bool is_after(uint32_t thread, uint32_t other, Time then) const {
    return cluster_->is_after(thread, other, then);
  }

  std::optional<WarpKnowledge> common_knowledge(uint32_t warp) const {
    return cluster_->common_knowledge(first_warp_ + warp);
  }

  void meet() { cluster_->meet(rank_); }
  void meet(std::vector<uint32_t> warps, std::vector<std::pair<uint32_t, Time>> passed_by = {}) {
    for (uint32_t& warp : warps) warp += first_warp_;
    for (auto& [warp, time] : passed_by) warp += first_warp_;
    cluster_->meet(warps, passed_by);
  }
  Time pass_by() { return cluster_->pass_by(); }
  void meet(uint32_t warp, uint32_t lanes, uint32_t live) {
    cluster_->meet(first_warp_ + warp, lanes, live);
  }

  uint32_t copies() const { return cluster_->copies(rank_); }
  void arrive(uint32_t thread, uint64_t mbarrier) {
    cluster_->arrive(in_cluster(thread), whole(mbarrier));
  }
  void count_copies(uint32_t rank, uint64_t mbarrier) {
    cluster_->arrive(cluster_->copies(rank), whole(mbarrier));
  }
  void complete_phase(uint64_t mbarrier) { cluster_->complete_phase(whole(mbarrier)); }
  void pass_phase(uint32_t thread, uint64_t mbarrier) {
    cluster_->pass_phase(in_cluster(thread), whole(mbarrier));
  }

  void arrive_at_cluster(uint32_t thread, bool relaxed) {
    cluster_->arrive_at_cluster(in_cluster(thread), relaxed);
  }
  void complete_cluster() { cluster_->complete_cluster(); }
  void pass_cluster(uint32_t thread) { cluster_->pass_cluster(in_cluster(thread)); }
  void exit(uint32_t thread) { cluster_->exit(in_cluster(thread)); }

  void arrive_at_grid(uint64_t phase) { cluster_->arrive_at_grid(rank_, phase); }
  void pass_grid(uint64_t phase) { cluster_->pass_grid(rank_, phase); }

  void fence(uint32_t warp, uint32_t lanes, bool for_device) {
    cluster_->fence(first_warp_ + warp, lanes, for_device);
  }
  void tell(uint32_t thread, uint64_t address, bool is_shared) {
    cluster_->tell(in_cluster(thread), is_shared ? whole(address) : address, is_shared);
  }
  void listen(uint32_t thread, uint64_t address, bool is_shared) {
    cluster_->listen(in_cluster(thread), is_shared ? whole(address) : address, is_shared);
  }
  bool is_silent(bool is_shared) const { return cluster_->is_silent(is_shared); }
  bool is_message(uint64_t address, bool is_shared) const {
    return cluster_->is_message(is_shared ? whole(address) : address, is_shared);
  }

 private:
  std::shared_ptr<ClusterOrder> cluster_;
  uint32_t rank_ = 0, first_warp_ = 0;
};

}  // namespace simulator
