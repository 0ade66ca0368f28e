// cp.async copies from global to shared memory. The data pass through no register, and the thread does not wait for
// them (compute capability 8.0 and later).
//
// The copies that a thread has issued since its last commit_async() form a group. wait_async<N>() returns when at most
// the thread's N youngest groups are still under way. A thread may read another thread's copies after that thread's
// wait and a barrier.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/older_device.cuh"
#include "device/shared_address.cuh"

namespace device {

/// The least compute capability that has cp.async, as 10 * major + minor.
constexpr int ASYNC_COPY_NEEDS = 80;

/// Copies one float.
__device__ inline void copy_async(float* shared, const float* global) {
  end_below<ASYNC_COPY_NEEDS>();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(shared)), "l"(global)
               : "memory");
}

/// Copies one float if it lies `inside` the matrix. Otherwise writes a zero and reads nothing.
__device__ inline void copy_async(float* shared, const float* global, bool inside) {
  end_below<ASYNC_COPY_NEEDS>();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(shared)),
               "l"(global), "r"(inside ? 4 : 0)
               : "memory");
}

/// Copies 16 bytes of any type, past L1. Both addresses must be multiples of 16 bytes.
__device__ inline void copy_async_16_bytes(void* shared, const void* global) {
  end_below<ASYNC_COPY_NEEDS>();
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(shared)),
               "l"(global)
               : "memory");
}

/// Copies four floats, past L1. Both addresses must be multiples of 16 bytes.
__device__ inline void copy_async4(float* shared, const float* global) {
  copy_async_16_bytes(shared, global);
}

/// Copies the first `count` of four floats (any count). Writes zeros for the others and does not read
/// them. VECTOR: in one copy of 16 bytes; both addresses must be multiples of 16 bytes.
template <bool VECTOR>
__device__ inline void copy_async4(float* shared, const float* global, int count) {
  if (VECTOR) {
    const int bytes = count >= 4 ? 16 : count > 0 ? count * 4 : 0;
    end_below<ASYNC_COPY_NEEDS>();
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared)),
                 "l"(global), "r"(bytes)
                 : "memory");
  } else {
#pragma unroll
    for (int j = 0; j < 4; ++j) copy_async(shared + j, global + j, j < count);
  }
}

/// Closes this thread's group of copies.
__device__ inline void commit_async() {
  end_below<ASYNC_COPY_NEEDS>();
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/// Waits until at most `PENDING` of this thread's groups are still under way.
template <int PENDING>
__device__ inline void wait_async() {
  end_below<ASYNC_COPY_NEEDS>();
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

}  // namespace device
