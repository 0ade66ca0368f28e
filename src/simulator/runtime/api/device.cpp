// The one device: its properties, and waiting for it.
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include <cstring>
#include <optional>

#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/device_attributes.hpp"
#include "simulator/runtime/api/diagnostics.hpp"
#include "simulator/runtime/api/memory.hpp"
#include "simulator/runtime/api/simulated_device.hpp"
#include "simulator/runtime/api/streams.hpp"

using namespace simulator;
using namespace simulator::runtime;

namespace {

cudaDeviceProp properties_of_device() {
  cudaDeviceProp p{};
  const auto value = [](cudaDeviceAttr attribute) { return attribute_value(attribute).value(); };
  std::strncpy(p.name, "simulated GPU (H200 limits)", sizeof p.name - 1);
  p.totalGlobalMem = current_device().memory.total_bytes();
  p.sharedMemPerBlock = static_cast<size_t>(value(cudaDevAttrMaxSharedMemoryPerBlock));
  p.regsPerBlock = value(cudaDevAttrMaxRegistersPerBlock);
  p.warpSize = value(cudaDevAttrWarpSize);
  p.memPitch = static_cast<size_t>(value(cudaDevAttrMaxPitch));
  p.maxThreadsPerBlock = value(cudaDevAttrMaxThreadsPerBlock);
  p.maxThreadsDim[0] = value(cudaDevAttrMaxBlockDimX);
  p.maxThreadsDim[1] = value(cudaDevAttrMaxBlockDimY);
  p.maxThreadsDim[2] = value(cudaDevAttrMaxBlockDimZ);
  p.maxGridSize[0] = value(cudaDevAttrMaxGridDimX);
  p.maxGridSize[1] = value(cudaDevAttrMaxGridDimY);
  p.maxGridSize[2] = value(cudaDevAttrMaxGridDimZ);
  p.clockRate = value(cudaDevAttrClockRate);
  p.totalConstMem = static_cast<size_t>(value(cudaDevAttrTotalConstantMemory));
  p.major = value(cudaDevAttrComputeCapabilityMajor);
  p.minor = value(cudaDevAttrComputeCapabilityMinor);
  p.textureAlignment = static_cast<size_t>(value(cudaDevAttrTextureAlignment));
  p.texturePitchAlignment = static_cast<size_t>(value(cudaDevAttrTexturePitchAlignment));
  p.deviceOverlap = value(cudaDevAttrGpuOverlap);
  p.multiProcessorCount = value(cudaDevAttrMultiProcessorCount);
  p.kernelExecTimeoutEnabled = value(cudaDevAttrKernelExecTimeout);
  p.integrated = value(cudaDevAttrIntegrated);
  p.canMapHostMemory = value(cudaDevAttrCanMapHostMemory);
  p.computeMode = value(cudaDevAttrComputeMode);
  p.maxTexture1D = value(cudaDevAttrMaxTexture1DWidth);
  p.maxTexture1DMipmap = value(cudaDevAttrMaxTexture1DMipmappedWidth);
  p.maxTexture1DLinear = value(cudaDevAttrMaxTexture1DLinearWidth);
  p.maxTexture2D[0] = value(cudaDevAttrMaxTexture2DWidth);
  p.maxTexture2D[1] = value(cudaDevAttrMaxTexture2DHeight);
  p.maxTexture2DMipmap[0] = value(cudaDevAttrMaxTexture2DMipmappedWidth);
  p.maxTexture2DMipmap[1] = value(cudaDevAttrMaxTexture2DMipmappedHeight);
  p.maxTexture2DLinear[0] = value(cudaDevAttrMaxTexture2DLinearWidth);
  p.maxTexture2DLinear[1] = value(cudaDevAttrMaxTexture2DLinearHeight);
  p.maxTexture2DLinear[2] = value(cudaDevAttrMaxTexture2DLinearPitch);
  p.maxTexture2DGather[0] = value(cudaDevAttrMaxTexture2DGatherWidth);
  p.maxTexture2DGather[1] = value(cudaDevAttrMaxTexture2DGatherHeight);
  p.maxTexture3D[0] = value(cudaDevAttrMaxTexture3DWidth);
  p.maxTexture3D[1] = value(cudaDevAttrMaxTexture3DHeight);
  p.maxTexture3D[2] = value(cudaDevAttrMaxTexture3DDepth);
  p.maxTexture3DAlt[0] = value(cudaDevAttrMaxTexture3DWidthAlt);
  p.maxTexture3DAlt[1] = value(cudaDevAttrMaxTexture3DHeightAlt);
  p.maxTexture3DAlt[2] = value(cudaDevAttrMaxTexture3DDepthAlt);
  p.maxTextureCubemap = value(cudaDevAttrMaxTextureCubemapWidth);
  p.maxTexture1DLayered[0] = value(cudaDevAttrMaxTexture1DLayeredWidth);
  p.maxTexture1DLayered[1] = value(cudaDevAttrMaxTexture1DLayeredLayers);
  p.maxTexture2DLayered[0] = value(cudaDevAttrMaxTexture2DLayeredWidth);
  p.maxTexture2DLayered[1] = value(cudaDevAttrMaxTexture2DLayeredHeight);
  p.maxTexture2DLayered[2] = value(cudaDevAttrMaxTexture2DLayeredLayers);
  p.maxTextureCubemapLayered[0] = value(cudaDevAttrMaxTextureCubemapLayeredWidth);
  p.maxTextureCubemapLayered[1] = value(cudaDevAttrMaxTextureCubemapLayeredLayers);
  p.maxSurface1D = value(cudaDevAttrMaxSurface1DWidth);
  p.maxSurface2D[0] = value(cudaDevAttrMaxSurface2DWidth);
  p.maxSurface2D[1] = value(cudaDevAttrMaxSurface2DHeight);
  p.maxSurface3D[0] = value(cudaDevAttrMaxSurface3DWidth);
  p.maxSurface3D[1] = value(cudaDevAttrMaxSurface3DHeight);
  p.maxSurface3D[2] = value(cudaDevAttrMaxSurface3DDepth);
  p.maxSurface1DLayered[0] = value(cudaDevAttrMaxSurface1DLayeredWidth);
  p.maxSurface1DLayered[1] = value(cudaDevAttrMaxSurface1DLayeredLayers);
  p.maxSurface2DLayered[0] = value(cudaDevAttrMaxSurface2DLayeredWidth);
  p.maxSurface2DLayered[1] = value(cudaDevAttrMaxSurface2DLayeredHeight);
  p.maxSurface2DLayered[2] = value(cudaDevAttrMaxSurface2DLayeredLayers);
  p.maxSurfaceCubemap = value(cudaDevAttrMaxSurfaceCubemapWidth);
  p.maxSurfaceCubemapLayered[0] = value(cudaDevAttrMaxSurfaceCubemapLayeredWidth);
  p.maxSurfaceCubemapLayered[1] = value(cudaDevAttrMaxSurfaceCubemapLayeredLayers);
  p.surfaceAlignment = static_cast<size_t>(value(cudaDevAttrSurfaceAlignment));
  p.concurrentKernels = value(cudaDevAttrConcurrentKernels);
  p.ECCEnabled = value(cudaDevAttrEccEnabled);
  p.pciBusID = value(cudaDevAttrPciBusId);
  p.pciDeviceID = value(cudaDevAttrPciDeviceId);
  p.pciDomainID = value(cudaDevAttrPciDomainId);
  p.tccDriver = value(cudaDevAttrTccDriver);
  p.asyncEngineCount = value(cudaDevAttrAsyncEngineCount);
  p.unifiedAddressing = value(cudaDevAttrUnifiedAddressing);
  p.memoryClockRate = value(cudaDevAttrMemoryClockRate);
  p.memoryBusWidth = value(cudaDevAttrGlobalMemoryBusWidth);
  p.l2CacheSize = value(cudaDevAttrL2CacheSize);
  p.persistingL2CacheMaxSize = value(cudaDevAttrMaxPersistingL2CacheSize);
  p.maxThreadsPerMultiProcessor = value(cudaDevAttrMaxThreadsPerMultiProcessor);
  p.streamPrioritiesSupported = value(cudaDevAttrStreamPrioritiesSupported);
  p.globalL1CacheSupported = value(cudaDevAttrGlobalL1CacheSupported);
  p.localL1CacheSupported = value(cudaDevAttrLocalL1CacheSupported);
  p.sharedMemPerMultiprocessor =
      static_cast<size_t>(value(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  p.regsPerMultiprocessor = value(cudaDevAttrMaxRegistersPerMultiprocessor);
  p.managedMemory = value(cudaDevAttrManagedMemory);
  p.isMultiGpuBoard = value(cudaDevAttrIsMultiGpuBoard);
  p.multiGpuBoardGroupID = value(cudaDevAttrMultiGpuBoardGroupID);
  p.hostNativeAtomicSupported = value(cudaDevAttrHostNativeAtomicSupported);
  p.singleToDoublePrecisionPerfRatio = value(cudaDevAttrSingleToDoublePrecisionPerfRatio);
  p.pageableMemoryAccess = value(cudaDevAttrPageableMemoryAccess);
  p.concurrentManagedAccess = value(cudaDevAttrConcurrentManagedAccess);
  p.computePreemptionSupported = value(cudaDevAttrComputePreemptionSupported);
  p.canUseHostPointerForRegisteredMem = value(cudaDevAttrCanUseHostPointerForRegisteredMem);
  p.cooperativeLaunch = value(cudaDevAttrCooperativeLaunch);
  p.cooperativeMultiDeviceLaunch = value(cudaDevAttrCooperativeMultiDeviceLaunch);
  p.sharedMemPerBlockOptin = static_cast<size_t>(value(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  p.pageableMemoryAccessUsesHostPageTables =
      value(cudaDevAttrPageableMemoryAccessUsesHostPageTables);
  p.directManagedMemAccessFromHost = value(cudaDevAttrDirectManagedMemAccessFromHost);
  p.maxBlocksPerMultiProcessor = value(cudaDevAttrMaxBlocksPerMultiprocessor);
  p.accessPolicyMaxWindowSize = value(cudaDevAttrMaxAccessPolicyWindowSize);
  p.reservedSharedMemPerBlock = static_cast<size_t>(value(cudaDevAttrReservedSharedMemoryPerBlock));
  p.hostRegisterSupported = value(cudaDevAttrHostRegisterSupported);
  p.sparseCudaArraySupported = value(cudaDevAttrSparseCudaArraySupported);
  p.hostRegisterReadOnlySupported = value(cudaDevAttrHostRegisterReadOnlySupported);
  p.timelineSemaphoreInteropSupported = value(cudaDevAttrTimelineSemaphoreInteropSupported);
  p.memoryPoolsSupported = value(cudaDevAttrMemoryPoolsSupported);
  p.gpuDirectRDMASupported = value(cudaDevAttrGPUDirectRDMASupported);
  p.gpuDirectRDMAFlushWritesOptions =
      static_cast<unsigned int>(value(cudaDevAttrGPUDirectRDMAFlushWritesOptions));
  p.gpuDirectRDMAWritesOrdering = value(cudaDevAttrGPUDirectRDMAWritesOrdering);
  p.memoryPoolSupportedHandleTypes =
      static_cast<unsigned int>(value(cudaDevAttrMemoryPoolSupportedHandleTypes));
  p.deferredMappingCudaArraySupported = value(cudaDevAttrDeferredMappingCudaArraySupported);
  p.ipcEventSupported = value(cudaDevAttrIpcEventSupport);
  p.clusterLaunch = value(cudaDevAttrClusterLaunch);
  p.unifiedFunctionPointers = 0;
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
    const std::optional<int> known = attribute_value(attribute);
    if (!known) return cudaErrorInvalidValue;
    *value = *known;
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
