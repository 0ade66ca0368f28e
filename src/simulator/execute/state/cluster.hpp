// The blocks that run together as a cluster, and their barrier.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/fault.hpp"

namespace simulator {

struct BlockContext;

/// A block without a cluster is a cluster of one block, as on a device.
struct ClusterContext {
  Dim3 shape;                           // in blocks
  Dim3 number{0, 0, 0};                 // its place among the grid's clusters
  bool is_explicit = false;             // True if the launch asked for clusters
  std::vector<BlockContext*> blocks{};  // by rank

  uint32_t size() const { return static_cast<uint32_t>(blocks.size()); }

  // --- the barrier (barrier.cluster) ---
  uint32_t live = 0;      // threads that have not exited
  uint32_t arrivals = 0;  // of live threads in the phase under way

  /// Records that these lanes of a warp arrive.
  void arrive(BlockContext& block, uint32_t warp, uint32_t lanes);
  /// Records that these lanes of a warp exit. The barrier does not wait for them any more.
  void leave(BlockContext& block, uint32_t warp, uint32_t lanes);

 private:
  void end_phase();
};

}  // namespace simulator
