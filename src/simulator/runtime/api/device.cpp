// The one device: its properties, and waiting for it.
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include <optional>

#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/device_attributes.hpp"
#include "simulator/runtime/api/diagnostics.hpp"
#include "simulator/runtime/api/memory.hpp"
#include "simulator/runtime/api/simulated_device.hpp"
#include "simulator/runtime/api/streams.hpp"

using namespace simulator;
using namespace simulator::runtime;

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
    *properties = properties_of(current_device().memory.total_bytes());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return guarded([&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    const std::optional<int> known = attribute_value(attribute);
    if (!known) return cudaErrorInvalidValue;
    *value = *known;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return synchronous([] {
    note_wait();
    return wait_for_device();
  });
}

cudaError_t cudaDeviceReset() {
  return guarded([] {
    wait_for_device();
    free_everything();
    reset_streams();
    clear_fault();
    return cudaSuccess;
  });
}

// How the host waits does not matter here. The flags are stored.
cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  return guarded([&] {
    if ((flags & ~unsigned{cudaDeviceMask}) != 0) return cudaErrorInvalidValue;
    current_device().flags = flags;
    return cudaSuccess;
  });
}

// A device maps host memory whether or not the program asks for it.
cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  return guarded([&] {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = current_device().flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties) {
  return guarded([&] {
    if (device == nullptr || properties == nullptr) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return asynchronous([&] {
    current_device().cache_config = config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return asynchronous([&] {
    if (config == nullptr) return cudaErrorInvalidValue;
    *config = current_device().cache_config;
    return cudaSuccess;
  });
}

// Banks have 4 bytes on every device since compute capability 5.0.
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig /*config*/) {
  return asynchronous([] { return cudaSuccess; });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return asynchronous([&] {
    if (config == nullptr) return cudaErrorInvalidValue;
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
  });
}

// The names of CUDA's first versions, which CUDA 13 no longer has.
cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) {
  return cudaDeviceSetLimit(limit, value);
}
cudaError_t cudaThreadGetLimit(size_t* value, cudaLimit limit) {
  return cudaDeviceGetLimit(value, limit);
}
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) {
  return cudaDeviceSetCacheConfig(config);
}
cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config) {
  return cudaDeviceGetCacheConfig(config);
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
      default:
        return cudaErrorUnsupportedLimit;
    }
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
      default:
        return cudaErrorUnsupportedLimit;
    }
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
