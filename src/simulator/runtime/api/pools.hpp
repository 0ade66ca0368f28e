// Memory pools, from which a program allocates in a stream's order.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

// A pool gives freed memory back at once. So what it reserves is what is used, and its settings are kept without an effect.
struct CUmemPoolHandle_st {
  CUmemPoolHandle_st(uint32_t device_number, uint64_t limit)
      : device(device_number), most_bytes(limit) {}

  /// Counts an allocation. Returns false if the pool would exceed its limit.
  bool take(uint64_t bytes);
  void give_back(uint64_t bytes) { used -= bytes; }

  const uint32_t device;
  const uint64_t most_bytes;  // 0: no limit
  std::atomic<uint64_t> used{0}, most_used{0};
  std::atomic<uint64_t> release_threshold{0};
  // cudaMemPoolReuseFollowEventDependencies and the two after it.
  std::array<std::atomic<int>, 3> switches{1, 1, 1};
};

namespace simulator::runtime {

using Pool = CUmemPoolHandle_st;

/// Returns the pool of a handle, or nullptr if there is none.
std::shared_ptr<Pool> find_pool(cudaMemPool_t handle);
/// Returns the pool from which cudaMallocAsync allocates on the current device.
std::shared_ptr<Pool> current_pool();
/// Makes the default pool of the current device its pool again, and forgets its other pools.
void reset_pools();

/// Returns success if a pool with these properties can be made.
cudaError_t check(const cudaMemPoolProps& wanted);

}  // namespace simulator::runtime
