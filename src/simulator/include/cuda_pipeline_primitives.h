// __pipeline_memcpy_async and its companions: cp.async under the names that CUDA C++ gives it.
#pragma once
#pragma GCC system_header

#if defined(__CUDA__)

#include "device_functions.h"

/// Copies `bytes` from global to shared memory without passing through registers. `bytes` is 4, 8 or 16, and both
/// addresses are aligned to it. The last `zero_fill` bytes are zeroes and are not read. `bytes` must be a
/// constant after inlining. The data may be read after __pipeline_wait_prior and a barrier.
__simulator_device void __pipeline_memcpy_async(void* to_shared, const void* from_global,
                                                size_t bytes, size_t zero_fill = 0) {
  const unsigned int to = static_cast<unsigned int>(__cvta_generic_to_shared(to_shared));
  const size_t from = __cvta_generic_to_global(from_global);
  const unsigned int read = static_cast<unsigned int>(bytes - zero_fill);
  if (zero_fill == 0) {
    if (bytes == 16) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    } else if (bytes == 8) {
      asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from) : "memory");
    } else if (bytes == 4) {
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
    } else {
      asm volatile("trap;");
    }
    return;
  }
  if (bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(read)
                 : "memory");
  } else if (bytes == 8) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(read)
                 : "memory");
  } else if (bytes == 4) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(read)
                 : "memory");
  } else {
    asm volatile("trap;");
  }
}

/// Ends the current batch of copies.
__simulator_device void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits until all of this thread's batches but the last `batches` have arrived (0 to 7, a constant).
#define __pipeline_wait_prior(batches) \
  asm volatile("cp.async.wait_group %0;" ::"n"(batches) : "memory")

#endif
