// Contexts of the driver API. All contexts of a device share its memory, streams and settings: each is the device's primary context by
// another name.
#pragma once

#include <cuda.h>

#include <atomic>

namespace simulator {
struct SimulatedDevice;
}

/// Never freed, so that a stale handle is recognised.
struct CUctx_st {
  simulator::SimulatedDevice* device = nullptr;
  std::atomic<unsigned int> flags = 0;
  std::atomic<bool> is_alive = true;
};

namespace simulator::runtime {

/// Returns the calling thread's context, or nullptr.
CUcontext current_context();

/// Returns the device's primary context, be it retained or not.
CUcontext primary_context(const SimulatedDevice& device);

/// True if this is a context that was not destroyed.
bool is_context(CUcontext context);

}  // namespace simulator::runtime
