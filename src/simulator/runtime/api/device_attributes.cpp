#include "simulator/runtime/api/device_attributes.hpp"

#include <algorithm>
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
      {cudaDevAttrPciBusId, 0},
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
      {cudaDevAttrCooperativeLaunch, 0},
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

std::optional<int> attribute_value(cudaDeviceAttr attribute) {
  static const std::vector<Value> values = make_values();
  const auto found = std::ranges::lower_bound(values, attribute, {}, &Value::attribute);
  if (found == values.end() || found->attribute != attribute) return std::nullopt;
  return found->value;
}

}  // namespace simulator::runtime
