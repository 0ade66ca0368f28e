#include "simulator/execute/state/cluster.hpp"

#include <algorithm>
#include <bit>

#include "simulator/execute/state/warp.hpp"
#include "simulator/hazards/block_hazards.hpp"

namespace simulator {

void ClusterContext::arrive(BlockContext& block, uint32_t warp, uint32_t lanes) {
  uint32_t& arrived = block.arrived[warp];
  arrivals += static_cast<uint32_t>(std::popcount(lanes & ~arrived));
  arrived |= lanes;
  end_phase();
}

void ClusterContext::leave(BlockContext& block, uint32_t warp, uint32_t lanes) {
  uint32_t& arrived = block.arrived[warp];
  live -= static_cast<uint32_t>(std::popcount(lanes));
  arrivals -= static_cast<uint32_t>(std::popcount(lanes & arrived));
  arrived &= ~lanes;
  if (arrivals > 0) end_phase();
}

// Ends the phase if all threads that have not exited have arrived.
void ClusterContext::end_phase() {
  if (arrivals != live) return;
  arrivals = 0;
  for (BlockContext* const block : blocks) std::ranges::fill(block->arrived, 0u);
  if (blocks[0]->hazards != nullptr) blocks[0]->hazards->order.complete_cluster();
}

}  // namespace simulator
