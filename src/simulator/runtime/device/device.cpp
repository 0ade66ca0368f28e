// Devices: their properties, the current one, and waiting for it.
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/diagnostics.hpp"
#include "simulator/runtime/api/memory.hpp"
#include "simulator/runtime/api/pools.hpp"
#include "simulator/runtime/api/simulated_device.hpp"
#include "simulator/runtime/api/streams.hpp"
#include "simulator/runtime/device/device_attributes.hpp"

using namespace simulator;
using namespace simulator::runtime;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return guarded([&] {
    if (count == nullptr) return cudaErrorInvalidValue;
    *count = static_cast<int>(devices().size());
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return guarded([&] {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    set_current_device(*devices()[static_cast<size_t>(device)]);
    set_primary_context(true);
    return cudaSuccess;
  });
}

// There is nothing to prepare. The flags are those of cudaSetDeviceFlags.
cudaError_t cudaInitDevice(int device, unsigned int /*device_flags*/, unsigned int /*flags*/) {
  return guarded([&] { return is_device(device) ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaGetDevice(int* device) {
  return guarded([&] {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = static_cast<int>(current_device().number);
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return guarded([&] {
    if (properties == nullptr) return cudaErrorInvalidValue;
    if (!is_device(device)) return cudaErrorInvalidDevice;
    *properties =
        properties_of(device, devices()[static_cast<size_t>(device)]->memory.total_bytes());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return guarded([&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (!is_device(device)) return cudaErrorInvalidDevice;
    const std::optional<int> known = attribute_value(attribute, device);
    if (!known) return cudaErrorInvalidValue;
    *value = *known;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return synchronous([] {
    note_wait();
    const cudaError_t error = check_captures();
    return error != cudaSuccess ? error : wait_for_device();
  });
}

cudaError_t cudaDeviceReset() {
  return guarded([] {
    wait_for_device();
    free_everything();
    reset_pools();
    reset_streams();
    for (const SimulatedDevice* const other : devices())
      current_device().memory.reach(other->number, false);
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

// The bounds of the limits without an effect here are an H200's.
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return asynchronous([&] {
    SimulatedDevice& device = current_device();
    switch (limit) {
      case cudaLimitMallocHeapSize:
        device.memory.set_heap_limit(value);
        return cudaSuccess;
      case cudaLimitStackSize:
        device.stack_size = value;
        return cudaSuccess;
      case cudaLimitPrintfFifoSize:
        device.printf_buffer_size = value;
        return cudaSuccess;
      case cudaLimitDevRuntimePendingLaunchCount:
        device.pending_launches = std::clamp<size_t>(value, 32, 599186);
        return cudaSuccess;
      case cudaLimitMaxL2FetchGranularity:
        if (value > 128) return cudaErrorInvalidValue;
        device.fetch_granularity = value;
        return cudaSuccess;
      case cudaLimitPersistingL2CacheSize: {
        constexpr size_t PIECE = 3932160, MOST = 10 * PIECE;
        if (value > MOST) return cudaErrorInvalidValue;
        device.persisting_cache_bytes = (value + PIECE - 1) / PIECE * PIECE;
        return cudaSuccess;
      }
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
      case cudaLimitDevRuntimePendingLaunchCount:
        *value = current_device().pending_launches;
        return cudaSuccess;
      case cudaLimitMaxL2FetchGranularity:
        *value = current_device().fetch_granularity;
        return cudaSuccess;
      case cudaLimitPersistingL2CacheSize:
        *value = current_device().persisting_cache_bytes;
        return cudaSuccess;
      default:
        return cudaErrorUnsupportedLimit;
    }
  });
}

// --- several devices ---

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return guarded([&] {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    constexpr int NEEDED = 13;  // "0000:01:00.0" and the zero byte
    if (text == nullptr || length < NEEDED) return cudaErrorInvalidValue;
    std::snprintf(text, static_cast<size_t>(length), "0000:%02X:00.0",
                  static_cast<unsigned int>(device + 1));
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return guarded([&] {
    if (device == nullptr || text == nullptr) return cudaErrorInvalidValue;
    // domain:bus:device.function, without the domain or without the function
    unsigned int domain = 0;
    unsigned int bus = 0;
    unsigned int slot = 0;
    if (std::sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3) {
      domain = slot = 0;
      if (std::sscanf(text, "%x:%x", &bus, &slot) != 2) return cudaErrorInvalidValue;
    }
    const int number = static_cast<int>(bus) - 1;
    if (domain != 0 || slot != 0 || !is_device(number)) return cudaErrorInvalidDevice;
    *device = number;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return guarded([&] {
    if (can == nullptr) return cudaErrorInvalidValue;
    if (!is_device(device) || !is_device(peer)) return cudaErrorInvalidDevice;
    *can = device != peer ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  return asynchronous([&] {
    if (flags != 0) return cudaErrorInvalidValue;
    const SimulatedDevice& device = current_device();
    if (!is_device(peer) || static_cast<uint32_t>(peer) == device.number)
      return cudaErrorInvalidDevice;
    const bool is_new = current_device().memory.reach(static_cast<uint32_t>(peer), true);
    return is_new ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return synchronous([&] {
    if (!is_device(peer)) return cudaErrorInvalidDevice;
    run_all(current_device());  // its kernels may still need the access
    const bool was_on = current_device().memory.reach(static_cast<uint32_t>(peer), false);
    return was_on ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int from, int to) {
  return guarded([&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (!is_device(from) || !is_device(to) || from == to) return cudaErrorInvalidDevice;
    switch (attribute) {
      case cudaDevP2PAttrPerformanceRank:
        *value = 0;
        return cudaSuccess;
      case cudaDevP2PAttrAccessSupported:
      case cudaDevP2PAttrNativeAtomicSupported:
      case cudaDevP2PAttrCudaArrayAccessSupported:
        *value = 1;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
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
