// One host thread's view of a launch: its counters and its memory of patterns.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "simulator/count/pattern.hpp"
#include "simulator/decode/program.hpp"
#include "simulator/execute/state/device.hpp"
#include "simulator/hazards/hazard_context.hpp"

namespace simulator {

/// One memory instruction in one worker: its last patterns and the buffer that it is at work on. A loop
/// that walks along a row passes through the phases of a line, so the last pattern is kept for each.
struct AccessSite {
  std::array<const Pattern*, 32> patterns{};  // by phase / 4
  const Pattern* counted = nullptr;           // the pattern of the last accesses,
  uint64_t times = 0;                         // how many they are, and not yet in `counts`
  const Allocation* allocation = nullptr;
  AccessCounts counts;  // what the instruction did to it
};

/// What the workers of a launch know of each other.
struct LaunchState {
  using Clock = std::chrono::steady_clock;

  explicit LaunchState(Device& on) : device(on) {}

  std::atomic<uint64_t> changes{0};  // grows when a warp may have changed memory
  std::optional<Clock::time_point> deadline;
  std::optional<std::atomic<uint64_t>> turns_left;  // of its warps; nothing where there is no limit

  /// Asked after each turn of a warp. What ends the launch before its time: interrupt(), the deadline, or the excerpt.
  std::optional<FaultKind> must_stop();

  std::unique_ptr<HazardContext> watched;  // nullptr: no hazards are looked for
  lens::Wanted wanted;                     // the requests that are to be recorded
  uint64_t number = 0;                     // of the launch, where requests are recorded
  Device& device;
};

class Worker {
 public:
  Worker(const Program& program, LaunchState& launch, uint64_t schedule);

  /// For an access whose pattern is not the site's last one of its phase: finds or prices it.
  const Pattern& price(uint32_t site, const std::array<int64_t, WARP>& distance, uint64_t first,
                       uint32_t active);
  /// For an access outside the allocation that the site was at work on: the host address of the first active
  /// lane's bytes, where every active lane's lie in one allocation; nullptr if they lie in several, with each
  /// lane's in lane_pointers. Throws WarpFault for an address in none.
  std::byte* locate(uint32_t site, const Pattern& pattern,
                    const std::array<uint64_t, WARP>& address);
  /// The same lane by lane, where each needs so many bytes: into lane_pointers.
  void locate_parts(uint32_t site, const Pattern& pattern,
                    const std::array<uint64_t, WARP>& address,
                    const std::array<uint32_t, WARP>& bytes);
  /// One more access of this pattern.
  void count(uint32_t site, const Pattern& pattern) {
    AccessSite& s = sites[site];
    if (s.counted != &pattern) change_pattern(site, &pattern);
    ++s.times;
  }
  /// All that was counted, as rows.
  void add_to(Tally& tally);
  Device& device() const { return launch.device; }
  /// What was recorded; nullptr where nothing is.
  const Recorder* recorder() const { return recorder_.get(); }

  const Program& program;
  LaunchState& launch;
  const uint64_t schedule;  // seed for the order of warps; 0: as they are numbered
  std::vector<AccessSite> sites;
  std::vector<uint64_t> block_warps;    // times each basic block was executed by a warp
  std::vector<uint64_t> block_lanes;    // and its lanes
  std::vector<uint64_t> guarded_lanes;  // lanes that a guard switched off, by instruction
  uint64_t barriers = 0;
  uint64_t async_copies = 0, async_copies_during_loads = 0;  // per lane
  Warp* at_work = nullptr;                                   // whose turn it is
  std::array<std::byte*, WARP>
      lane_pointers{};  // scratch: where lanes' bytes lie, if not in one piece

 private:
  void change_pattern(uint32_t site, const Pattern* pattern);
  void change_allocation(uint32_t site, const Allocation* allocation);
  void record(uint32_t site, const Pattern& pattern);
  void add_instruction(Tally& tally, const SourceInstruction& source, uint64_t warps,
                       uint64_t lanes) const;

  /// (site, allocation id; 0 for memory that is no allocation) -> counts.
  std::map<std::pair<uint32_t, uint32_t>, AccessCounts> buffer_counts_;
  PatternBook patterns_;
  uint32_t unkept_ = ~0u;  // the site whose last pattern the book does not keep

  // A site whose requests are recorded remembers no pattern: each of its accesses comes through price() and
  // change_pattern(), where it is seen. So accesses that nobody wants to see cost what they did.
  std::unique_ptr<Recorder> recorder_;
  std::vector<bool> is_recorded_;                           // by site
  std::map<std::pair<uint32_t, uint32_t>, size_t> groups_;  // (site, allocation id) -> recorder's
  uint64_t first_ = 0;  // the first active lane's address, of the access that was priced last
};

}  // namespace simulator
