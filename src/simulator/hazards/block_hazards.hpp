// The search for hazards of one block while it runs.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/count/pattern.hpp"
#include "simulator/hazards/device_shadow.hpp"
#include "simulator/hazards/hazard_context.hpp"
#include "simulator/hazards/order.hpp"
#include "simulator/hazards/proxy_fences.hpp"
#include "simulator/hazards/shared_cells.hpp"

namespace simulator {

/// One access of a warp, before it happens.
struct WarpAccess {
  uint32_t instruction = 0;  // index into Program::sources
  Access access{};
  uint32_t bytes = 0;  // of each lane
  uint32_t active = 0;
  uint32_t warp = 0;
  uint64_t first = 0;                         // the first active lane's address in its memory
  const std::array<int64_t, WARP>& distance;  // each lane's address minus `first`
  int64_t lowest = 0, highest = 0;  // the bytes touched, relative to `first`: [lowest, highest)
  Pattern::Shape shape{};
  const std::byte* values = nullptr;  // of a store: `bytes` per lane; nullptr: unknown
};

/// One thread's request by one cp.async.
struct ThreadCopy {
  uint32_t instruction = 0;
  uint32_t thread = 0;  // linear, in its block
  uint64_t target = 0;  // in shared memory
  uint32_t bytes = 0;
  uint64_t source = 0;
  uint32_t source_bytes = 0;  // fewer than `bytes` if zeros fill the rest
};

/// A use of a register that the tensor core still uses.
enum class RegisterMistake { reads_result, writes_result, writes_factor };

/// Looks for hazards in one block after the other. Passes them to the launch's context.
class BlockHazards {
 public:
  BlockHazards(HazardContext& launch, Dim3 grid, Dim3 block_size, size_t shared_bytes,
               size_t local_bytes);

  /// Makes the block a part of a cluster. `blocks`: the hazards of all its blocks, by rank.
  void join(const std::vector<BlockHazards*>& blocks, uint32_t rank) {
    order.join(blocks[0]->order, rank);
    blocks_ = blocks;
  }
  /// Begins the block with this number. `cluster`: the numbers of all blocks of its cluster, by rank.
  void start(uint64_t number, const std::vector<uint64_t>& cluster);
  /// Records that all threads have exited. Looks for accesses by other blocks of the cluster that may come later.
  void end();

  void access(const WarpAccess& access);

  // --- cp.async: a thread's copy to shared memory, from request to landing ---
  void copy_begins(const ThreadCopy& copy);
  /// Records a landed copy. A thread's copies by one instruction land in the order of their requests.
  void copy_lands(uint32_t instruction, uint32_t thread, uint64_t target, uint32_t bytes);

  // --- cp.async.bulk and mbarriers, which lie at offsets in shared memory ---
  /// The bytes of a load land row by row, then its mbarrier counts them. `target` and `mbarrier` may be in another block.
  void bulk_row_lands(uint32_t instruction, uint32_t thread, uint64_t target, uint64_t bytes,
                      uint64_t mbarrier);
  void bulk_load_is_counted(uint64_t mbarrier);
  /// A bulk store or a wgmma begins to read shared memory, and has read it. It may read until the wait, so it counts as a read
  /// at the wait's time.
  void late_read_begins(uint32_t instruction, uint32_t thread, uint64_t source, uint64_t bytes);
  void late_read_ends(uint32_t instruction, uint32_t thread, uint64_t source, uint64_t bytes);
  /// A copy to a block of the cluster, which the thread requested, has read its source. `mbarrier` counts it.
  void copy_has_read(uint32_t instruction, uint32_t thread, uint64_t source, uint64_t bytes,
                     uint64_t mbarrier);
  /// A bulk store writes to global memory. `reduces`: it reads the old elements too, and each element is an atomic access.
  void bulk_store_lands(uint32_t instruction, uint32_t thread, uint64_t target, uint64_t bytes,
                        bool reduces);
  /// Records that lanes read a texel each of an array or of global memory, `offsets` bytes after `base`.
  void texels_are_read(uint32_t instruction, uint32_t warp, uint32_t lanes, uint64_t base,
                       const std::array<uint64_t, WARP>& offsets, uint32_t bytes);
  /// Records that the block ends while a bulk copy of the thread still uses shared memory.
  void unawaited_copy(uint32_t instruction, uint32_t thread, uint64_t at);
  /// Records that the thread initialises an mbarrier.
  void mbarrier_begins(uint32_t instruction, uint32_t thread, uint64_t at);
  /// Records any other use.
  void mbarrier_is_used(uint32_t instruction, uint32_t thread, uint64_t at);
  /// Records that a copy, which the thread requests, will report its bytes to the mbarrier.
  void mbarrier_counts_copy(uint32_t instruction, uint32_t thread, uint64_t at);
  /// Records that the lanes pass a fence.proxy.async or, if `for_mbarriers`, a fence.mbarrier_init.
  void proxy_fence(uint32_t warp, uint32_t lanes, bool for_mbarriers);
  /// Records that the thread waits for a state that no arrival returned.
  void misused_mbarrier(uint32_t instruction, uint32_t thread, uint64_t at);

  // --- wgmma ---
  /// Records that the warp executes a wgmma, wgmma.fence, commit_group or wait_group. Its warpgroup must do the same.
  void warpgroup_step(uint32_t instruction, uint32_t warp);
  /// Records that a product uses a register that `writer` has written since the last wgmma.fence. Nothing: there was no fence.
  void unfenced_register(uint32_t product, uint32_t thread, std::optional<uint32_t> writer);
  /// Records that `user` uses a register of a product that is not waited for.
  void early_register(uint32_t product, uint32_t user, uint32_t thread, RegisterMistake mistake);

  /// Records that these lanes have exited.
  void leave(uint32_t warp, uint32_t lanes) {
    left_[warp] |= lanes;
    for (; lanes != 0; lanes &= lanes - 1)
      order.exit(warp * WARP + static_cast<uint32_t>(std::countr_zero(lanes)));
  }

  /// Records that all threads of the block have met at the barrier of this instruction.
  void meet(uint32_t barrier) {
    order.meet();
    last_barrier_ = barrier;
  }

  BlockOrder order;

 private:
  /// The last access of another block's thread to the block's shared memory.
  struct Use {
    Time time = 0;
    uint32_t instruction = 0;
    uint64_t offset = 0;
  };
  /// The source of a copy that has not landed.
  struct Source {
    uint64_t first = 0, past_end = 0;
    uint32_t instruction = 0;
    uint64_t target = 0;
  };
  /// A wgmma instruction, and the first warp of its warpgroup that executed it.
  struct WarpgroupStep {
    uint32_t instruction = 0;
    uint32_t warp = 0;
  };
  /// The wgmma instructions that the warps of a warpgroup have executed, in order.
  struct Warpgroup {
    static constexpr uint32_t WARPS = 4;
    std::deque<WarpgroupStep> steps{};  // from `first` on
    uint64_t first = 0;                 // the number of steps that all warps have done
    std::array<uint64_t, WARPS> done{};
    bool is_split = false;
  };
  /// One access of a pair in a message.
  struct Side {
    uint32_t instruction = 0;
    uint64_t block = 0;
    uint32_t thread = 0;  // the number of threads stands for the block's copies
    bool writes = false;
  };

  /// The effect of a lane's access on one cell.
  struct Step {
    uint32_t instruction = 0;
    uint32_t thread = 0;
    bool reads = false, writes = false;
    std::optional<uint32_t> value;  // the value that it writes
  };

  /// Returns the hazards of the block in whose shared memory the address lies.
  BlockHazards& owner_of(uint64_t address) {
    const uint64_t rank = address >> CLUSTER_RANK_SHIFT;
    return rank == 0 ? *this : *blocks_[rank - 1];
  }
  SharedCells::Cell cell_at(uint64_t address) {
    return owner_of(address).cells_[(address & CLUSTER_OFFSET_MASK) / launch_.unit];
  }
  /// Returns the block whose members hold the fences of the whole cluster.
  BlockHazards& cluster_fences() { return blocks_.empty() ? *this : *blocks_[0]; }
  void end_warpgroups();
  void note_use(uint32_t instruction, uint32_t thread, uint64_t address);
  Side side_of(uint32_t instruction, uint32_t thread_in_cluster, bool writes) const;
  Hazard describe_ended(uint32_t instruction, uint32_t thread, uint64_t address) const;
  void report_ended(uint32_t instruction, uint32_t thread, uint64_t address);

  void shared(const WarpAccess& access);
  void local(const WarpAccess& access);
  void global(const WarpAccess& access);
  bool is_ordinary(const WarpAccess& access) const;
  const uint32_t* cell_values(const WarpAccess& access);
  void shared_lane(const WarpAccess& access, uint32_t lane, uint64_t offset);
  void only_read(const WarpAccess& access, BufferShadow& buffer);
  void global_groups(const WarpAccess& access, uint32_t lanes, const WarpKnowledge& known,
                     BufferShadow& buffer);
  void touch_group(const WarpAccess& access, uint32_t first_lane, uint32_t count, const Run& run,
                   const WarpKnowledge& known, BufferShadow& buffer);
  bool keeps_earlier(const BufferShadow& buffer) const;
  bool touch_line(Line& line, const Run& run, const WarpKnowledge& known,
                  BufferShadow& buffer) const;
  Run run_of(const Step& step) const;
  void note_bytes(const Step& step, uint64_t address, uint64_t bytes, BufferShadow& buffer);
  void touch_cells(Step step, uint64_t address, uint64_t bytes, const std::byte* values,
                   BufferShadow& buffer, Line& line);
  uint32_t value_at(const std::byte* bytes, uint32_t width) const;
  void shared_step(const SharedCells::Cell& cell, const Step& step, uint64_t at);
  void check_shared(Touch before, bool wrote, const Step& step, uint64_t at);
  void first_step(Cell& cell, const Step& step, bool is_weak, uint64_t at);
  void global_step(Cell& cell, const Step& step, bool is_weak, uint64_t at);
  void check_global(Cell& cell, const Toucher& before, bool wrote, const Step& step, uint64_t at);
  void note_read(Cell& cell, const Toucher& me) const;
  void touch_global_range(const Step& step, uint64_t first, uint64_t bytes);
  void copy_lands_by(uint32_t writer, uint32_t instruction, uint32_t thread, uint64_t target,
                     uint64_t bytes);
  void check_late_reads(const SharedCells::Cell& cell, const Step& step, uint64_t at);
  void check_sources(const Step& step, uint64_t first, uint64_t past_end);
  bool is_after(uint32_t thread, const Toucher& other) const;
  bool may_meet(const Side& a, const Side& b, uint64_t address, bool is_shared) const;
  bool was_told(const Side& first, uint32_t thread, Time then, uint64_t address,
                bool is_shared) const;
  /// Returns the buffer that holds all these bytes, or nullptr.
  BufferShadow* buffer_at(uint64_t address, uint64_t past_end);

  bool comes_first(uint32_t instruction, uint32_t other) const;
  std::string race_advice(const Side& first, const Side& second, bool is_shared) const;
  std::string copy_race_advice(const Side& first, const Side& second) const;
  bool is_copy(const Side& side) const;
  bool is_stored_by_threads(uint64_t address) const;
  void report_race(const Side& first, const Side& second, uint64_t address, bool is_shared,
                   uint64_t times);
  void report_unwritten(uint32_t instruction, uint32_t thread, uint64_t address, Access access);
  void report_early(const Side& copier, const Side& user, uint64_t address, bool is_source);
  void report_unfenced(const SharedCells::Cell& cell, const Step& user, uint64_t at);
  void report_split(Warpgroup& group, const WarpgroupStep& one, const WarpgroupStep& other);

  Hazard describe_race(const Side& one, const Side& two, uint64_t address, bool is_shared) const;
  Hazard describe_unwritten(uint32_t instruction, uint32_t thread, uint64_t address,
                            Access access) const;
  Hazard describe_early(const Side& copier, const Side& user, uint64_t address,
                        bool is_source) const;

  Hazard describe_misuse(uint32_t instruction, uint32_t thread, uint64_t at) const;
  Hazard describe_unfenced(Touch write, const Step& user, uint64_t at) const;
  Hazard describe_unfenced_register(uint32_t product, uint32_t thread,
                                    std::optional<uint32_t> writer) const;
  Hazard describe_early_register(uint32_t product, uint32_t user, uint32_t thread,
                                 RegisterMistake mistake) const;
  Hazard describe_split(const WarpgroupStep& one, const WarpgroupStep& other) const;
  Hazard describe_unawaited(uint32_t instruction, uint32_t thread, uint64_t at) const;

  std::string written_part(uint64_t address) const;
  /// Counts the threads that exited without a store to shared memory although others made one. Returns the first
  /// such thread and the number.
  std::pair<uint32_t, uint32_t> left_without_store() const;

  std::string line(uint32_t instruction) const;
  std::string thread_name(uint32_t thread) const;
  std::string name_of(const Side& side, bool with_block) const;
  std::string block_name(uint64_t block) const;
  std::string place(uint64_t address, bool is_shared) const;
  bool is_in_other_block(uint64_t address) const;
  Dim3 block_of(uint64_t number) const;

  HazardContext& launch_;
  const Dim3 grid_, block_size_;
  const size_t local_bytes_;
  std::vector<BlockHazards*> blocks_{this};  // of the cluster, by rank
  std::map<uint32_t, Use> users_;            // by their numbers in the cluster
  bool has_ended_ = false;
  uint64_t number_ = 0;
  uint32_t last_barrier_ = 0;  // the instruction; 0: none yet
  std::vector<uint32_t> left_,
      stored_;  // by warp: lanes that have exited, and lanes that have written to shared memory
  SharedCells cells_;
  std::vector<uint32_t> cell_values_;         // scratch
  std::vector<bool> local_written_;           // of all threads, one after the other
  std::vector<std::vector<Source>> sources_;  // by thread
  std::vector<Warpgroup> warpgroups_;
  // Of the cluster, in its first block; threads have their numbers in the cluster.
  ProxyFences data_fences_;                          // for data in shared memory
  ProxyFences mbarrier_fences_;                      // for initialised mbarriers
  uint64_t pending_ = 0;                             // number of sources
  uint64_t lowest_source_ = 0, highest_source_ = 0;  // the range of all sources
  // Reads of lines that change nothing in them: see Line::settled_after(). All blocks of a launch often read the same table, and
  // would wait for one another's locks.
  struct SettledRead {
    const Line* line = nullptr;
    uint32_t cells = 0;
    uint32_t after = 0;  // a block
  };
  std::array<SettledRead, 64> settled_reads_{};
  // Buffers used before. A kernel seldom has more than four pointers in turn.
  std::array<BufferShadow*, 4> recent_{};
  size_t next_recent_ = 0;  // whose place the next one takes
};

}  // namespace simulator
