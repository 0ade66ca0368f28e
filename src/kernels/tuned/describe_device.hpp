// What the choice of a tile must know of the device that is there.
#pragma once

#include <cuda_runtime.h>

#include "kernels/tuned/tile.hpp"

namespace ladder {

/// What choose_tile() and plan_split() must know of the current device.
inline cudaError_t describe_device(Device* device) {
  int id = 0;
  cudaError_t error = cudaGetDevice(&id);
  if (error != cudaSuccess) return error;
  error = cudaDeviceGetAttribute(&device->multiprocessors, cudaDevAttrMultiProcessorCount, id);
  if (error != cudaSuccess) return error;
  return cudaDeviceGetAttribute(&device->shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, id);
}

}  // namespace ladder
