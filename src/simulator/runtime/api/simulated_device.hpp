// The state of one simulated GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "simulator/execute/state/device.hpp"
#include "simulator/runtime/api/arrays.hpp"
#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/registry.hpp"

namespace simulator {
namespace runtime {

/// The settings of cudaFuncSetAttribute.
struct FunctionSettings {
  std::optional<int> max_dynamic_shared;
  int carveout = cudaSharedmemCarveoutDefault;
  Dim3 cluster{0, 0, 0};   // required; zeros: the kernel's own, or none
  int large_clusters = 0;  // cudaFuncAttributeNonPortableClusterSizeAllowed; 0: no
  int cluster_policy = cudaClusterSchedulingPolicyDefault;
};
struct KernelSettings {
  std::mutex mutex;
  std::unordered_map<const Kernel*, FunctionSettings> of_kernel;
};

}  // namespace runtime

/// The device that kernels run on, and the state that API calls keep for it.
struct SimulatedDevice : Device {
  SimulatedDevice() = default;
  SimulatedDevice(SimulatedDevice& first, uint32_t device_number) : Device(first, device_number) {}

  runtime::Arrays arrays;
  runtime::Modules modules;
  runtime::KernelSettings kernels;
  runtime::Failure failure;
  runtime::Waits waits;
  // Settings that change nothing here, with their initial values.
  std::atomic<size_t> stack_size{1024};
  std::atomic<size_t> printf_buffer_size{size_t{1} << 20};
  // Limits without an effect here, with an H200's values.
  std::atomic<size_t> pending_launches{2048};
  std::atomic<size_t> fetch_granularity{64};
  std::atomic<size_t> persisting_cache_bytes{11796480};
  std::atomic<unsigned int> flags{cudaDeviceScheduleAuto};
  std::atomic<cudaFuncCache> cache_config{cudaFuncCachePreferNone};
};

/// Returns all devices of the program: SIMULATOR_DEVICES tells their number, which is 1 by default.
const std::vector<SimulatedDevice*>& devices();
/// True if there is a device with this number.
bool is_device(int number);
/// Returns the device of the calling thread's API calls. Only API functions call it; they pass the device to the code below.
SimulatedDevice& current_device();
/// Makes a device the calling thread's.
void set_current_device(SimulatedDevice& device);
/// Returns the device whose memory has this address; the current one for host memory.
SimulatedDevice& device_at(const void* pointer);

}  // namespace simulator
