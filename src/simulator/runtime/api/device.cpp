// The one device: its properties, and waiting for it.
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include <cstring>

#include "simulator/execute/launch/module.hpp"
#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/diagnostics.hpp"
#include "simulator/runtime/api/memory.hpp"
#include "simulator/runtime/api/simulated_device.hpp"
#include "simulator/runtime/api/streams.hpp"

using namespace simulator;
using namespace simulator::runtime;

namespace {

constexpr size_t LARGEST_PITCH = 2147483647;  // a device's limit on the pitch of a 2-D copy

cudaDeviceProp properties_of_device() {
  const DeviceLimits& limits = device_limits();
  cudaDeviceProp p{};
  std::strncpy(p.name, "simulated GPU (H200 limits)", sizeof p.name - 1);
  p.totalGlobalMem = current_device().memory.total_bytes();
  p.sharedMemPerBlock = limits.static_shared_per_block;
  p.regsPerBlock = limits.registers_per_multiprocessor;
  p.warpSize = limits.warp_size;
  p.memPitch = LARGEST_PITCH;
  p.maxThreadsPerBlock = limits.threads_per_block;
  p.maxThreadsDim[0] = static_cast<int>(limits.block.x);
  p.maxThreadsDim[1] = static_cast<int>(limits.block.y);
  p.maxThreadsDim[2] = static_cast<int>(limits.block.z);
  p.maxGridSize[0] = static_cast<int>(limits.grid.x);
  p.maxGridSize[1] = static_cast<int>(limits.grid.y);
  p.maxGridSize[2] = static_cast<int>(limits.grid.z);
  p.totalConstMem = limits.constant_memory;
  p.major = limits.compute_major;
  p.minor = limits.compute_minor;
  p.multiProcessorCount = limits.multiprocessors;
  p.canMapHostMemory = 1;
  p.concurrentKernels = 1;
  p.clusterLaunch = 1;
  p.asyncEngineCount = 1;
  p.unifiedAddressing = 1;
  p.maxThreadsPerMultiProcessor = limits.threads_per_multiprocessor;
  p.sharedMemPerMultiprocessor = limits.shared_per_multiprocessor;
  p.regsPerMultiprocessor = limits.registers_per_multiprocessor;
  p.managedMemory = 1;
  p.concurrentManagedAccess = 1;
  p.sharedMemPerBlockOptin = limits.shared_per_block_optin;
  p.maxBlocksPerMultiProcessor = limits.blocks_per_multiprocessor;
  p.reservedSharedMemPerBlock = limits.reserved_shared_per_block;
  return p;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return guarded([&] {
    if (count == nullptr) return cudaErrorInvalidValue;
    *count = 1;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return guarded([&] { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaGetDevice(int* device) {
  return guarded([&] {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return guarded([&] {
    if (properties == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *properties = properties_of_device();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return guarded([&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    const cudaDeviceProp p = properties_of_device();
    switch (attribute) {
      case cudaDevAttrMaxThreadsPerBlock:
        *value = p.maxThreadsPerBlock;
        break;
      case cudaDevAttrMaxBlockDimX:
        *value = p.maxThreadsDim[0];
        break;
      case cudaDevAttrMaxBlockDimY:
        *value = p.maxThreadsDim[1];
        break;
      case cudaDevAttrMaxBlockDimZ:
        *value = p.maxThreadsDim[2];
        break;
      case cudaDevAttrMaxGridDimX:
        *value = p.maxGridSize[0];
        break;
      case cudaDevAttrMaxGridDimY:
        *value = p.maxGridSize[1];
        break;
      case cudaDevAttrMaxGridDimZ:
        *value = p.maxGridSize[2];
        break;
      case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = static_cast<int>(p.sharedMemPerBlock);
        break;
      case cudaDevAttrTotalConstantMemory:
        *value = static_cast<int>(p.totalConstMem);
        break;
      case cudaDevAttrWarpSize:
        *value = p.warpSize;
        break;
      case cudaDevAttrMaxRegistersPerBlock:
        *value = p.regsPerBlock;
        break;
      case cudaDevAttrMultiProcessorCount:
        *value = p.multiProcessorCount;
        break;
      case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = p.maxThreadsPerMultiProcessor;
        break;
      case cudaDevAttrAsyncEngineCount:
        *value = p.asyncEngineCount;
        break;
      case cudaDevAttrUnifiedAddressing:
        *value = p.unifiedAddressing;
        break;
      case cudaDevAttrComputeCapabilityMajor:
        *value = p.major;
        break;
      case cudaDevAttrComputeCapabilityMinor:
        *value = p.minor;
        break;
      case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = static_cast<int>(p.sharedMemPerMultiprocessor);
        break;
      case cudaDevAttrMaxRegistersPerMultiprocessor:
        *value = p.regsPerMultiprocessor;
        break;
      case cudaDevAttrManagedMemory:
        *value = p.managedMemory;
        break;
      case cudaDevAttrConcurrentManagedAccess:
        *value = p.concurrentManagedAccess;
        break;
      case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = static_cast<int>(p.sharedMemPerBlockOptin);
        break;
      case cudaDevAttrMaxBlocksPerMultiprocessor:
        *value = p.maxBlocksPerMultiProcessor;
        break;
      case cudaDevAttrReservedSharedMemoryPerBlock:
        *value = static_cast<int>(p.reservedSharedMemPerBlock);
        break;
      case cudaDevAttrCanMapHostMemory:
      case cudaDevAttrConcurrentKernels:
      case cudaDevAttrMemoryPoolsSupported:
      case cudaDevAttrClusterLaunch:
        *value = 1;
        break;
      case cudaDevAttrIntegrated:
      case cudaDevAttrEccEnabled:
      case cudaDevAttrCooperativeLaunch:
      case cudaDevAttrClockRate:
      case cudaDevAttrMemoryClockRate:
      case cudaDevAttrGlobalMemoryBusWidth:
      case cudaDevAttrL2CacheSize:
        *value = 0;
        break;
      default:
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return synchronous([] {
    note_wait();
    publish(&Watcher::waited_for_all);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceReset() {
  return guarded([] {
    free_everything();
    reset_streams();
    clear_fault();
    return cudaSuccess;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned int /*flags*/) {
  return guarded([] { return cudaSuccess; });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache /*config*/) {
  return asynchronous([] { return cudaSuccess; });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return asynchronous([&] {
    switch (limit) {
      case cudaLimitMallocHeapSize:
        current_device().memory.set_heap_limit(value);
        return cudaSuccess;
      case cudaLimitStackSize:
        current_device().stack_size = value;
        return cudaSuccess;
      case cudaLimitPrintfFifoSize:
        current_device().printf_buffer_size = value;
        return cudaSuccess;
    }
    return cudaErrorUnsupportedLimit;
  });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return asynchronous([&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    switch (limit) {
      case cudaLimitMallocHeapSize:
        *value = current_device().memory.heap_limit();
        return cudaSuccess;
      case cudaLimitStackSize:
        *value = current_device().stack_size;
        return cudaSuccess;
      case cudaLimitPrintfFifoSize:
        *value = current_device().printf_buffer_size;
        return cudaSuccess;
    }
    return cudaErrorUnsupportedLimit;
  });
}

cudaError_t cudaProfilerStart() {
  return asynchronous([] { return cudaSuccess; });
}

cudaError_t cudaProfilerStop() { return cudaProfilerStart(); }

cudaError_t cudaRuntimeGetVersion(int* version) {
  return guarded([&] {
    if (version == nullptr) return cudaErrorInvalidValue;
    *version = CUDART_VERSION;
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

}  // extern "C"
