#include "simulator/execute/launch/occupancy.hpp"

#include <algorithm>

namespace simulator {
namespace {

// A warp's registers come in multiples of a unit, from its scheduler's part of the register file. A
// multiprocessor has four schedulers.
constexpr int REGISTER_UNIT = 256;
constexpr int REGISTER_PARTITIONS = 4;
constexpr size_t SHARED_UNIT = 128;

template <typename T>
T round_up(T value, T multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

int resident_blocks(const DeviceLimits& limits, const BlockNeeds& needs) {
  if (needs.threads <= 0 || needs.threads > limits.threads_per_block) return 0;
  const int warps = round_up(needs.threads, limits.warp_size) / limits.warp_size;

  int blocks = std::min(limits.blocks_per_multiprocessor,
                        limits.threads_per_multiprocessor / limits.warp_size / warps);

  if (needs.registers_per_thread > 0) {
    const int per_warp = round_up(needs.registers_per_thread * limits.warp_size, REGISTER_UNIT);
    const int per_partition = limits.registers_per_multiprocessor / REGISTER_PARTITIONS;
    blocks = std::min(blocks, per_partition / per_warp * REGISTER_PARTITIONS / warps);
  }

  if (needs.shared_bytes > limits.shared_per_block_optin) return 0;
  const size_t shared =
      round_up(needs.shared_bytes, SHARED_UNIT) + limits.reserved_shared_per_block;
  return std::min(blocks, static_cast<int>(limits.shared_per_multiprocessor / shared));
}

}  // namespace simulator
