#include "simulator/runtime/device/device_attributes.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "simulator/execute/launch/module.hpp"

namespace simulator::runtime {
namespace {

struct Value {
  cudaDeviceAttr attribute;
  int value;
};

// Ordered by the attributes' numbers. What the simulator limits comes from its own limits. The rest are an H200's answers under
// CUDA 13 (2026-11-29), with zeros for clocks and buses, which the simulated device does not have, and for features that it does
// not have.
std::vector<Value> make_values() {
  const DeviceLimits& limits = device_limits();
  return {
      {cudaDevAttrMaxThreadsPerBlock, limits.threads_per_block},
      {cudaDevAttrMaxBlockDimX, static_cast<int>(limits.block.x)},
      {cudaDevAttrMaxBlockDimY, static_cast<int>(limits.block.y)},
      {cudaDevAttrMaxBlockDimZ, static_cast<int>(limits.block.z)},
      {cudaDevAttrMaxGridDimX, static_cast<int>(limits.grid.x)},
      {cudaDevAttrMaxGridDimY, static_cast<int>(limits.grid.y)},
      {cudaDevAttrMaxGridDimZ, static_cast<int>(limits.grid.z)},
      {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<int>(limits.static_shared_per_block)},
      {cudaDevAttrTotalConstantMemory, static_cast<int>(limits.constant_memory)},
      {cudaDevAttrWarpSize, limits.warp_size},
      {cudaDevAttrMaxPitch, 2147483647},
      {cudaDevAttrMaxRegistersPerBlock, limits.registers_per_multiprocessor},
      {cudaDevAttrClockRate, 0},
      {cudaDevAttrTextureAlignment, 512},
      {cudaDevAttrGpuOverlap, 1},
      {cudaDevAttrMultiProcessorCount, limits.multiprocessors},
      {cudaDevAttrKernelExecTimeout, 0},
      {cudaDevAttrIntegrated, 0},
      {cudaDevAttrCanMapHostMemory, 1},
      {cudaDevAttrComputeMode, 0},
      {cudaDevAttrMaxTexture1DWidth, 131072},
      {cudaDevAttrMaxTexture2DWidth, 131072},
      {cudaDevAttrMaxTexture2DHeight, 65536},
      {cudaDevAttrMaxTexture3DWidth, 16384},
      {cudaDevAttrMaxTexture3DHeight, 16384},
      {cudaDevAttrMaxTexture3DDepth, 16384},
      {cudaDevAttrMaxTexture2DLayeredWidth, 32768},
      {cudaDevAttrMaxTexture2DLayeredHeight, 32768},
      {cudaDevAttrMaxTexture2DLayeredLayers, 2048},
      {cudaDevAttrSurfaceAlignment, 512},
      {cudaDevAttrConcurrentKernels, 1},
      {cudaDevAttrEccEnabled, 0},
      {cudaDevAttrPciDeviceId, 0},
      {cudaDevAttrTccDriver, 0},
      {cudaDevAttrMemoryClockRate, 0},
      {cudaDevAttrGlobalMemoryBusWidth, 0},
      {cudaDevAttrL2CacheSize, 62914560},
      {cudaDevAttrMaxThreadsPerMultiProcessor, limits.threads_per_multiprocessor},
      {cudaDevAttrAsyncEngineCount, 1},
      {cudaDevAttrUnifiedAddressing, 1},
      {cudaDevAttrMaxTexture1DLayeredWidth, 32768},
      {cudaDevAttrMaxTexture1DLayeredLayers, 2048},
      {cudaDevAttrMaxTexture2DGatherWidth, 32768},
      {cudaDevAttrMaxTexture2DGatherHeight, 32768},
      {cudaDevAttrMaxTexture3DWidthAlt, 8192},
      {cudaDevAttrMaxTexture3DHeightAlt, 8192},
      {cudaDevAttrMaxTexture3DDepthAlt, 32768},
      {cudaDevAttrPciDomainId, 0},
      {cudaDevAttrTexturePitchAlignment, 32},
      {cudaDevAttrMaxTextureCubemapWidth, 32768},
      {cudaDevAttrMaxTextureCubemapLayeredWidth, 32768},
      {cudaDevAttrMaxTextureCubemapLayeredLayers, 2046},
      {cudaDevAttrMaxSurface1DWidth, 32768},
      {cudaDevAttrMaxSurface2DWidth, 131072},
      {cudaDevAttrMaxSurface2DHeight, 65536},
      {cudaDevAttrMaxSurface3DWidth, 16384},
      {cudaDevAttrMaxSurface3DHeight, 16384},
      {cudaDevAttrMaxSurface3DDepth, 16384},
      {cudaDevAttrMaxSurface1DLayeredWidth, 32768},
      {cudaDevAttrMaxSurface1DLayeredLayers, 2048},
      {cudaDevAttrMaxSurface2DLayeredWidth, 32768},
      {cudaDevAttrMaxSurface2DLayeredHeight, 32768},
      {cudaDevAttrMaxSurface2DLayeredLayers, 2048},
      {cudaDevAttrMaxSurfaceCubemapWidth, 32768},
      {cudaDevAttrMaxSurfaceCubemapLayeredWidth, 32768},
      {cudaDevAttrMaxSurfaceCubemapLayeredLayers, 2046},
      {cudaDevAttrMaxTexture1DLinearWidth, 268435456},
      {cudaDevAttrMaxTexture2DLinearWidth, 131072},
      {cudaDevAttrMaxTexture2DLinearHeight, 65000},
      {cudaDevAttrMaxTexture2DLinearPitch, 2097120},
      {cudaDevAttrMaxTexture2DMipmappedWidth, 32768},
      {cudaDevAttrMaxTexture2DMipmappedHeight, 32768},
      {cudaDevAttrComputeCapabilityMajor, limits.compute_major},
      {cudaDevAttrComputeCapabilityMinor, limits.compute_minor},
      {cudaDevAttrMaxTexture1DMipmappedWidth, 32768},
      {cudaDevAttrStreamPrioritiesSupported, 1},
      {cudaDevAttrGlobalL1CacheSupported, 1},
      {cudaDevAttrLocalL1CacheSupported, 1},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor,
       static_cast<int>(limits.shared_per_multiprocessor)},
      {cudaDevAttrMaxRegistersPerMultiprocessor, limits.registers_per_multiprocessor},
      {cudaDevAttrManagedMemory, 1},
      {cudaDevAttrIsMultiGpuBoard, 0},
      {cudaDevAttrMultiGpuBoardGroupID, 0},
      {cudaDevAttrHostNativeAtomicSupported, 0},
      {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
      {cudaDevAttrPageableMemoryAccess, 0},
      {cudaDevAttrConcurrentManagedAccess, 1},
      {cudaDevAttrComputePreemptionSupported, 1},
      {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
      {cudaDevAttrCooperativeLaunch, 1},
      {cudaDevAttrCooperativeMultiDeviceLaunch, 0},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<int>(limits.shared_per_block_optin)},
      {cudaDevAttrCanFlushRemoteWrites, 0},
      {cudaDevAttrHostRegisterSupported, 1},
      {cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0},
      {cudaDevAttrDirectManagedMemAccessFromHost, 0},
      {cudaDevAttrMaxBlocksPerMultiprocessor, limits.blocks_per_multiprocessor},
      {cudaDevAttrMaxPersistingL2CacheSize, 39321600},
      {cudaDevAttrMaxAccessPolicyWindowSize, 134217728},
      {cudaDevAttrReservedSharedMemoryPerBlock, static_cast<int>(limits.reserved_shared_per_block)},
      {cudaDevAttrSparseCudaArraySupported, 0},
      {cudaDevAttrHostRegisterReadOnlySupported, 1},
      {cudaDevAttrTimelineSemaphoreInteropSupported, 0},
      {cudaDevAttrMemoryPoolsSupported, 1},
      {cudaDevAttrGPUDirectRDMASupported, 0},
      {cudaDevAttrGPUDirectRDMAFlushWritesOptions, 0},
      {cudaDevAttrGPUDirectRDMAWritesOrdering, 0},
      {cudaDevAttrMemoryPoolSupportedHandleTypes, 0},
      {cudaDevAttrClusterLaunch, 1},
      {cudaDevAttrDeferredMappingCudaArraySupported, 0},
      {cudaDevAttrIpcEventSupport, 0},
      {cudaDevAttrMemSyncDomainCount, 4},
      {cudaDevAttrNumaConfig, 0},
      {cudaDevAttrNumaId, -1},
      {cudaDevAttrMpsEnabled, 0},
      {cudaDevAttrHostNumaId, 0},
  };
}

}  // namespace

std::optional<int> attribute_value(cudaDeviceAttr attribute, int device) {
  if (attribute == cudaDevAttrPciBusId) return device + 1;
  static const std::vector<Value> values = make_values();
  const auto found = std::ranges::lower_bound(values, attribute, {}, &Value::attribute);
  if (found == values.end() || found->attribute != attribute) return std::nullopt;
  return found->value;
}

cudaDeviceProp properties_of(int device, uint64_t memory_bytes) {
  cudaDeviceProp p{};
  const auto value = [device](cudaDeviceAttr attribute) {
    return attribute_value(attribute, device).value();
  };
  std::strncpy(p.name, "simulated GPU (H200 limits)", sizeof p.name - 1);
  p.totalGlobalMem = memory_bytes;
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

}  // namespace simulator::runtime
