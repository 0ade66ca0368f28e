// Clusters: blocks that run at the same time and may use each other's shared memory (compute capability 9.0 and later).
//
// A kernel with __cluster_dims__(x, y, z) runs in clusters of x * y * z blocks. Each block has a rank from 0 on. shared_in()
// turns the address of a variable in shared memory into the address of the same variable in another block. A block must not
// end while others may still use its shared memory, so sync_cluster() is usually the last step of a kernel.
//
// Each call acts for the calling thread alone, but all threads of a cluster take part in its barrier.
// (PTX manual, "barrier.cluster", "mapa", "st.async" and "mbarrier".)
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/mbarrier.cuh"
#include "device/older_device.cuh"
#include "device/shared_address.cuh"

namespace device {

/// The least compute capability that has clusters, as 10 * major + minor.
constexpr int CLUSTER_NEEDS = 90;

/// Returns the block's rank in its cluster.
__device__ inline uint32_t cluster_rank() {
  end_below<CLUSTER_NEEDS>();
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// Returns the number of blocks in the cluster.
__device__ inline uint32_t cluster_blocks() {
  end_below<CLUSTER_NEEDS>();
  uint32_t blocks;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  return blocks;
}

/// Arrives at the cluster's barrier. wait_cluster() waits until all threads of the cluster have arrived. It then sees their
/// memory accesses before the arrival.
__device__ inline void arrive_cluster() {
  end_below<CLUSTER_NEEDS>();
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}
/// Like arrive_cluster(), but the others see only the accesses before this thread's last fence.
__device__ inline void arrive_cluster_relaxed() {
  end_below<CLUSTER_NEEDS>();
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
__device__ inline void wait_cluster() {
  end_below<CLUSTER_NEEDS>();
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}
__device__ inline void sync_cluster() {
  arrive_cluster();
  wait_cluster();
}

/// Returns the 32-bit address of a variable in the shared memory of the block with this rank.
__device__ inline uint32_t shared_in(uint32_t rank, const void* shared) {
  end_below<CLUSTER_NEEDS>();
  uint32_t address;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(address)
      : "r"(shared_address(shared)), "r"(rank));
  return address;
}

/// Loads from, and stores to, an address that shared_in() returned.
__device__ inline uint32_t load_in_cluster(uint32_t address) {
  end_below<CLUSTER_NEEDS>();
  uint32_t value;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  return value;
}
__device__ inline void store_in_cluster(uint32_t address, uint32_t value) {
  end_below<CLUSTER_NEEDS>();
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

/// Arrives at the mbarrier in the block with this rank.
__device__ inline void arrive_in(uint32_t rank, Mbarrier& mbarrier) {
  end_below<CLUSTER_NEEDS>();
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                   shared_in(rank, &mbarrier))
               : "memory");
}

/// Like expect(), for the mbarrier in the block with this rank.
__device__ inline void expect_in(uint32_t rank, Mbarrier& mbarrier, uint32_t bytes) {
  end_below<CLUSTER_NEEDS>();
  asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(
                   shared_in(rank, &mbarrier)),
               "r"(bytes)
               : "memory");
}

/// Waits until the phase of this parity is complete. Sees the accesses of other blocks before their arrivals.
__device__ inline void wait_in_cluster(Mbarrier& mbarrier, int parity) {
  end_below<CLUSTER_NEEDS>();
  uint32_t complete;
  do {
    asm volatile(
        "{\n"
        ".reg .pred complete;\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 complete, [%1], %2;\n"
        "selp.u32 %0, 1, 0, complete;\n"
        "}"
        : "=r"(complete)
        : "r"(shared_address(&mbarrier)), "r"(parity)
        : "memory");
  } while (complete == 0);
}

/// Stores to a variable in the block with this rank. The store arrives later; the mbarrier in that block counts its bytes.
__device__ inline void store_async(uint32_t rank, uint32_t* shared, uint32_t value,
                                   Mbarrier& mbarrier) {
  end_below<CLUSTER_NEEDS>();
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
          shared_in(rank, shared)),
      "r"(value), "r"(shared_in(rank, &mbarrier))
      : "memory");
}

/// Adds to a variable in the block with this rank, likewise.
__device__ inline void add_async(uint32_t rank, uint32_t* shared, uint32_t value,
                                 Mbarrier& mbarrier) {
  end_below<CLUSTER_NEEDS>();
  asm volatile(
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, "
      "[%2];" ::"r"(shared_in(rank, shared)),
      "r"(value), "r"(shared_in(rank, &mbarrier))
      : "memory");
}

/// Copies from this block's shared memory to the shared memory of the block with this rank. Both addresses and the number of
/// bytes must be multiples of 16. The mbarrier in that block counts the bytes. The source must stay as it is until then.
__device__ inline void copy_to_block(uint32_t rank, void* to, const void* from, uint32_t bytes,
                                     Mbarrier& mbarrier) {
  end_below<CLUSTER_NEEDS>();
  asm volatile(
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, "
      "[%3];" ::"r"(shared_in(rank, to)),
      "r"(shared_address(from)), "r"(bytes), "r"(shared_in(rank, &mbarrier))
      : "memory");
}

}  // namespace device
