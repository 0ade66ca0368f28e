// A running block and its warps. Part of a level: see level.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulator/count/timeline.hpp"
#include "simulator/execute/level/warp_runner.hpp"
#include "simulator/execute/state/block.hpp"
#include "simulator/execute/watch/lane_hazards.hpp"
#include "simulator/hazards/block_hazards.hpp"

BEGIN_LEVEL

/// Runs one block after the other in the same memory.
class BlockRunner : public Block {
 public:
  BlockRunner(const Program& program, Worker& worker, const LaunchShape& shape,
              const std::byte* parameters);
  ~BlockRunner() override;
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  void start(uint64_t linear_number) override;
  Progress run() override;
  bool stuck() const override;
  Fault describe_wait(FaultKind kind) const override;

  // --- as a part of a cluster ---
  /// Makes the block a part of a cluster. `blocks`: all its blocks, by rank.
  void join(ClusterContext& cluster, uint32_t rank, const std::vector<BlockRunner*>& blocks);
  /// Starts the block with this number. `cluster`: the numbers of all its blocks, by rank. They all start before any runs.
  void start(uint64_t linear_number, const std::vector<uint64_t>& cluster);
  BlockContext& context() { return context_; }
  /// True if any warp got further in the last run().
  bool moved() const { return moved_; }
  /// True if a warp waits at the cluster's barrier and none polls memory.
  bool waits_for_cluster() const;

 private:
  enum class State { ready, at_barrier, at_cluster, exited };

  void shuffle_warps();
  bool run_warp(size_t i);
  void report_unawaited_loads();
  void note_step();
  void keep_timeline();
  bool release_from_cluster(size_t i);
  bool release_barriers();
  void release(uint32_t id, const std::vector<size_t>& arrived);
  void note_meeting(uint32_t id, const std::vector<size_t>& arrived);
  static BarrierUse use_of(const WarpRunner& warp);
  WarpFault describe_stop(FaultKind kind, const WarpRunner& warp) const;
  Fault::Registers wanted_registers(const Warp& waiting) const;
  Fault complete(const WarpFault& fault, const Warp& warp) const;

  const Program& program_;
  BlockContext context_;
  ClusterContext alone_;  // for a block without a cluster
  std::unique_ptr<BlockHazards> hazards_;
  std::unique_ptr<BlockTimeline> timeline_;
  uint64_t steps_ = 0;      // of the timeline
  bool has_begun_ = false;  // True if the started block has had a turn
  std::vector<std::byte> shared_storage_;
  std::unique_ptr<std::byte[]> register_storage_;
  std::byte* registers_ = nullptr;  // in register_storage_, aligned
  std::vector<std::byte> local_;
  std::vector<WarpRunner> warps_;
  std::vector<State> states_;
  std::vector<size_t> order_;  // the order of the warps' turns
  bool moved_ = false;
  bool out_of_time_ = false;        // True if a warp used up its turns in this round
  std::vector<uint32_t> arrivals_;  // threads that arrived without waiting, by barrier
  std::vector<std::vector<std::pair<uint32_t, Time>>>
      passed_by_;  // for hazards: the warps of these threads, and the times
};

END_LEVEL
