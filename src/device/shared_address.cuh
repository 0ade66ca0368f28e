// The address of shared memory as PTX instructions take it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace device {

/// Returns the 32-bit address in shared memory of a pointer to it.
__device__ inline uint32_t shared_address(const void* shared) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(shared));
}

}  // namespace device
