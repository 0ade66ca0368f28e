// All that belongs to one simulated GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "simulator/execute/state/device.hpp"
#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/memory.hpp"
#include "simulator/runtime/api/registry.hpp"
#include "simulator/runtime/api/streams.hpp"

// The device's default memory pool. What is freed goes back at once, so its release threshold is remembered and changes
// nothing.
struct CUmemPoolHandle_st {
  std::atomic<uint64_t> release_threshold = 0;
};

namespace simulator {
namespace runtime {

/// What cudaFuncSetAttribute has set.
struct FunctionSettings {
  std::optional<int> max_dynamic_shared;
  int carveout = cudaSharedmemCarveoutDefault;
};
struct KernelSettings {
  std::mutex mutex;
  std::unordered_map<const Kernel*, FunctionSettings> of_kernel;
};

}  // namespace runtime

/// What kernels run on, and what the calls of the API keep for it.
struct SimulatedDevice : Device {
  runtime::Allocations allocations;
  runtime::Modules modules;
  runtime::Streams streams;
  runtime::KernelSettings kernels;
  runtime::Failure failure;
  runtime::Waits waits;
  CUmemPoolHandle_st default_pool;
  // Limits of a device that do not limit anything here; the values it starts with.
  std::atomic<size_t> stack_size{1024};
  std::atomic<size_t> printf_buffer_size{size_t{1} << 20};
};

/// The device that calls of the API are for. Only they ask here; whoever they call is handed the device.
SimulatedDevice& current_device();

}  // namespace simulator
