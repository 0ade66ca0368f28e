// mbarriers and the bulk copies that they count (compute capability 9.0 and later).
//
// An mbarrier is a barrier that lies in shared memory. It works in phases. A phase expects a number of arrivals by threads
// and a number of bytes from copies. It is complete when all of both have come. Then the next phase begins. Phases have the
// parity 0, 1, 0, 1, ...; a thread waits for the parity of the phase that it needs.
//
//     expect(full, bytes)   arrives, and announces that copies will bring so many bytes
//     load_bulk(..., full)  copies; one thread calls it
//     wait(full, parity)    waits until the phase is complete; then the copied data can be read
//
// Each call acts for the calling thread alone, not for its warp.
// (PTX manual, "mbarrier" and "Data Movement and Conversion Instructions: Bulk copy".)
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/older_device.cuh"
#include "device/shared_address.cuh"

namespace device {

/// The least compute capability that has mbarriers with bulk copies, as 10 * major + minor.
constexpr int BULK_COPY_NEEDS = 90;

/// An mbarrier. It lies in shared memory, at a multiple of 8 bytes.
using Mbarrier = uint64_t;

/// Begins the first phase. Each phase expects `arrivals` arrivals, at least one. Call fence_mbarriers() and __syncthreads()
/// before other threads use the mbarrier.
__device__ inline void init_mbarrier(Mbarrier& mbarrier, int arrivals) {
  end_below<BULK_COPY_NEEDS>();
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&mbarrier)),
               "r"(arrivals)
               : "memory");
}

/// Lets copies see the mbarriers that this thread has initialised.
__device__ inline void fence_mbarriers() {
  end_below<BULK_COPY_NEEDS>();
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Arrives at the mbarrier's current phase.
__device__ inline void arrive(Mbarrier& mbarrier) {
  end_below<BULK_COPY_NEEDS>();
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&mbarrier))
               : "memory");
}

/// Adds `bytes` to the bytes of copies that the current phase expects, and arrives at it.
__device__ inline void expect(Mbarrier& mbarrier, uint32_t bytes) {
  end_below<BULK_COPY_NEEDS>();
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&mbarrier)),
      "r"(bytes)
      : "memory");
}

/// Returns true if the phase of this parity is complete. The call may wait for some time before it returns false.
__device__ inline bool is_complete(Mbarrier& mbarrier, int parity) {
  end_below<BULK_COPY_NEEDS>();
  uint32_t complete;
  asm volatile(
      "{\n"
      ".reg .pred complete;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], %2;\n"
      "selp.u32 %0, 1, 0, complete;\n"
      "}"
      : "=r"(complete)
      : "r"(shared_address(&mbarrier)), "r"(parity)
      : "memory");
  return complete != 0;
}

/// Waits until the phase of this parity is complete.
__device__ inline void wait(Mbarrier& mbarrier, int parity) {
  while (!is_complete(mbarrier, parity)) {
  }
}

/// Copies from global to shared memory. Both addresses and the number of bytes must be multiples of 16. `mbarrier` counts
/// the bytes as they arrive.
__device__ inline void load_bulk(void* shared, const void* global, uint32_t bytes,
                                 Mbarrier& mbarrier) {
  end_below<BULK_COPY_NEEDS>();
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(shared)),
      "l"(global), "r"(bytes), "r"(shared_address(&mbarrier))
      : "memory");
}

/// Copies from global memory to the shared memory of each block of the cluster whose rank is a bit of `ranks`. The data arrive
/// at the same place of each block, and the mbarrier at the same place of each block counts them.
__device__ inline void load_bulk_multicast(void* shared, const void* global, uint32_t bytes,
                                           Mbarrier& mbarrier, uint16_t ranks) {
  end_below<BULK_COPY_NEEDS>();
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1], %2, [%3], %4;" ::"r"(shared_address(shared)),
      "l"(global), "r"(bytes), "r"(shared_address(&mbarrier)), "h"(ranks)
      : "memory");
}

/// Copies from shared to global memory. Both addresses and the number of bytes must be multiples of 16. If threads have
/// stored to this shared memory, they call fence_for_copies() after their stores and before this copy.
__device__ inline void store_bulk(void* global, const void* shared, uint32_t bytes) {
  end_below<BULK_COPY_NEEDS>();
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
               "r"(shared_address(shared)), "r"(bytes)
               : "memory");
}

/// Closes a group: the bulk stores that this thread has issued since its last commit_bulk().
__device__ inline void commit_bulk() {
  end_below<BULK_COPY_NEEDS>();
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Waits until at most PENDING of this thread's groups of bulk stores are still under way.
template <int PENDING>
__device__ void wait_bulk() {
  end_below<BULK_COPY_NEEDS>();
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(PENDING) : "memory");
}

/// Like wait_bulk(), but waits only until the stores have read their shared memory. It may then be overwritten.
template <int PENDING>
__device__ void wait_bulk_read() {
  end_below<BULK_COPY_NEEDS>();
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}

/// Makes this thread's earlier stores to shared memory visible to later bulk copies.
__device__ inline void fence_for_copies() {
  end_below<BULK_COPY_NEEDS>();
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace device
