// The device's default memory pool.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>

#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/simulated_device.hpp"

using simulator::runtime::asynchronous;

namespace {

bool is_known(cudaMemPool_t pool, cudaMemPoolAttr attribute, const void* value) {
  const auto is_of = [&](const auto* device) { return pool == &device->default_pool; };
  return std::ranges::any_of(simulator::devices(), is_of) &&
         attribute == cudaMemPoolAttrReleaseThreshold && value != nullptr;
}

}  // namespace

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return asynchronous([&] {
    if (pool == nullptr) return cudaErrorInvalidValue;
    if (!simulator::is_device(device)) return cudaErrorInvalidDevice;
    *pool = &simulator::devices()[static_cast<size_t>(device)]->default_pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return asynchronous([&] {
    if (!is_known(pool, attribute, value)) return cudaErrorInvalidValue;
    *static_cast<uint64_t*>(value) = pool->release_threshold;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return asynchronous([&] {
    if (!is_known(pool, attribute, value)) return cudaErrorInvalidValue;
    pool->release_threshold = *static_cast<const uint64_t*>(value);
    return cudaSuccess;
  });
}
