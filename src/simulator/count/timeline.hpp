// Records the timeline of one block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lens/timeline.hpp"

namespace simulator {

/// The timeline of a block that runs. mbarriers are named by their offsets in shared memory.
class BlockTimeline {
 public:
  static constexpr size_t MOST_STEPS = 1 << 16;

  BlockTimeline(const std::string& kernel, uint64_t block, size_t warps);

  void begin_mbarrier(uint64_t offset, const std::string& name);
  void complete_phase(uint64_t offset);
  void arrive(size_t warp, uint64_t offset);
  /// The warp requests a copy. `mbarrier`: the one that counts its bytes, if there is one.
  void copy(size_t warp, std::optional<uint64_t> mbarrier = std::nullopt);
  void multiply(size_t warp);

  /// Sets what the warp does in the current step. `mbarrier`: the one that it waits for.
  void set(size_t warp, lens::Doing doing, uint64_t mbarrier = 0);
  void end_step();
  /// True if no further steps are recorded.
  bool is_full() const { return steps_ == MOST_STEPS; }

  const lens::Timeline& timeline() const { return timeline_; }

 private:
  lens::Moment& now(size_t warp) { return timeline_.warps[warp].back(); }
  void begin_step();

  lens::Timeline timeline_;
  std::map<uint64_t, size_t> mbarriers_;  // by offset: index into timeline_.mbarriers
  std::vector<uint32_t> phases_;          // complete so far, by mbarrier
  size_t steps_ = 0;
};

/// The wish for timelines, and the recorded ones: one for each kernel. Thread-safe.
class TimelineStore {
 public:
  struct Wanted {
    std::string kernel{};  // a part of the kernel's name; empty: any kernel
    uint64_t block = 0;    // linear number
  };
  /// From now on, records the first such block of each kernel. Nothing: none.
  void start(const std::optional<Wanted>& wanted);
  /// Returns a recorder for this block if it is the first one of its kernel that is wanted; else nullptr.
  std::unique_ptr<BlockTimeline> record(const std::string& kernel, uint64_t block, size_t warps);
  void add(const BlockTimeline& recorded);
  /// Returns the recorded timelines in the order of the blocks' ends.
  std::vector<lens::Timeline> timelines() const;

 private:
  mutable std::mutex mutex_;
  std::optional<Wanted> wanted_;
  std::set<std::string> begun_;  // kernels whose block has begun
  std::vector<lens::Timeline> timelines_;
};

}  // namespace simulator
