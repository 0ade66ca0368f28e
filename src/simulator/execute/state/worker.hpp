// One host thread's view of a launch: its counters and its known patterns.
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
#include "simulator/execute/state/grid_barrier.hpp"
#include "simulator/hazards/hazard_context.hpp"

namespace simulator {

/// One memory instruction in one worker: its last patterns and its current buffer. A loop along a row passes
/// through the phases of a line, so the last pattern is kept for each phase.
struct AccessSite {
  std::array<const Pattern*, 32> patterns{};  // by phase / 4
  const Pattern* counted = nullptr;           // the pattern of the last accesses
  uint64_t times = 0;                         // accesses of this pattern, not yet in `counts`
  const Allocation* allocation = nullptr;
  AccessCounts counts;  // accesses of the instruction to the allocation
};

/// The state that a launch's workers share.
struct LaunchState {
  using Clock = std::chrono::steady_clock;

  explicit LaunchState(Device& on) : device(on) {}

  std::atomic<uint64_t> changes{0};  // grows when a warp may have changed memory
  std::optional<Clock::time_point> deadline;
  std::optional<std::atomic<uint64_t>> turns_left;  // turns of its warps; nothing: no limit
  GridBarrier grid;

  /// Returns the reason to end the launch early, after each turn of a warp: interrupt(), the deadline or the
  /// excerpt. Returns nothing if there is none.
  std::optional<FaultKind> must_stop();

  std::unique_ptr<HazardContext> watched;  // nullptr: hazards are not looked for
  lens::Wanted wanted;                     // the requests to record
  LayoutStore* layouts = nullptr;          // nullptr: no layouts are recorded
  uint64_t number = 0;  // the launch's number, if requests or layouts are recorded
  Device& device;
};

/// How bytes of a bulk copy are counted.
struct BulkUse {
  bool is_first = true;                  // the copy's first bytes
  uint64_t receivers = 1;                // blocks of a multicast; each counts
  std::optional<uint64_t> sectors = {};  // of one receiver, if they are not those of the bytes
};

class Worker {
 public:
  Worker(const Program& program, LaunchState& launch, uint64_t schedule);

  /// Finds or prices the pattern of an access, if it is not the site's last pattern of its phase.
  const Pattern& price(uint32_t site, const std::array<int64_t, WARP>& distance, uint64_t first,
                       uint32_t active);
  /// Finds the host memory of an access outside the site's current allocation. Returns the host address of the
  /// first active lane's bytes if all active lanes' bytes lie in one allocation. If they lie in several, returns
  /// nullptr and stores each lane's address in lane_pointers. Throws WarpFault for an address in none.
  std::byte* locate(uint32_t site, const Pattern& pattern,
                    const std::array<uint64_t, WARP>& address);
  /// Finds each lane's host address if lanes need different numbers of bytes. Stores it in lane_pointers.
  void locate_parts(uint32_t site, const Pattern& pattern,
                    const std::array<uint64_t, WARP>& address,
                    const std::array<uint32_t, WARP>& bytes);
  /// Counts neighbouring bytes of a lane's bulk copy, and returns their host address in global memory. The first bytes of a
  /// copy count as its request. Throws WarpFault if they do not lie in one allocation.
  std::byte* use_in_bulk(uint32_t site, int lane, uint64_t address, uint64_t bytes,
                         const BulkUse& use = {});
  /// Counts sectors that a bulk load fills outside the tensor at this address. It uses no bytes of them.
  void fill_in_bulk(uint32_t site, uint64_t address, uint64_t sectors, const BulkUse& use);
  /// Counts a request that fetches texels from the texture at this address.
  void fetch_texels(uint32_t site, uint64_t base, const AccessCounts& once);
  /// Returns the host address of bytes in global memory, and counts nothing. Throws WarpFault like use_in_bulk().
  const std::byte* look_at(int lane, uint64_t address, uint64_t bytes);
  /// Counts one more access of this pattern.
  void count(uint32_t site, const Pattern& pattern) {
    AccessSite& s = sites[site];
    if (s.counted != &pattern) change_pattern(site, &pattern);
    ++s.times;
  }
  /// Adds all counts to the tally, as rows.
  void add_to(Tally& tally);
  Device& device() const { return launch.device; }
  /// Returns the recorded requests, or nullptr if none are recorded.
  const Recorder* recorder() const { return recorder_.get(); }
  /// Returns the allocations of which an address was used.
  const TouchedAllocations& touched() const { return touched_; }

  const Program& program;
  LaunchState& launch;
  const uint64_t schedule;  // seed for the order of warps; 0: in the order of their numbers
  std::vector<AccessSite> sites;
  std::vector<uint64_t> block_warps;    // executions of each basic block by a warp
  std::vector<uint64_t> block_lanes;    // lanes in these executions
  std::vector<uint64_t> guarded_lanes;  // lanes that a guard switched off, by instruction
  uint64_t barriers = 0;
  uint64_t async_copies = 0, async_copies_during_loads = 0;  // per lane
  Warp* at_work = nullptr;                                   // the warp whose turn it is
  std::array<std::byte*, WARP>
      lane_pointers{};  // scratch: host addresses of lanes' bytes that are not in one piece

 private:
  const Allocation& use_inside(int lane, uint64_t address, uint64_t bytes);
  void change_pattern(uint32_t site, const Pattern* pattern);
  void change_allocation(uint32_t site, const Allocation* allocation);
  void record(uint32_t site, const Pattern& pattern);
  void add_instruction(Tally& tally, const SourceInstruction& source, uint64_t warps,
                       uint64_t lanes) const;

  /// (site, allocation id; 0 for memory without an allocation) -> counts.
  std::map<std::pair<uint32_t, uint32_t>, AccessCounts> buffer_counts_;
  TouchedAllocations touched_;
  uint64_t last_touched_ = 0;  // the base of the last one
  PatternBook patterns_;
  uint32_t unkept_ = ~0u;  // the site whose last pattern is not kept in the book

  // A site whose requests are recorded remembers no pattern. So each of its accesses goes through price() and
  // change_pattern(), where it is recorded. Accesses of other sites cost nothing more.
  std::unique_ptr<Recorder> recorder_;
  std::vector<bool> is_recorded_;                           // by site
  std::map<std::pair<uint32_t, uint32_t>, size_t> groups_;  // (site, allocation id) -> recorder's
  uint64_t first_ = 0;  // the first active lane's address of the last priced access
};

}  // namespace simulator
