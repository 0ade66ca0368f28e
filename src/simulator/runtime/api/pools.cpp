#include "simulator/runtime/api/pools.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/refusal.hpp"
#include "simulator/runtime/api/simulated_device.hpp"

bool CUmemPoolHandle_st::take(uint64_t bytes) {
  const uint64_t now = used += bytes;
  if (most_bytes != 0 && now > most_bytes) {
    used -= bytes;
    return false;
  }
  uint64_t most = most_used;
  while (most < now && !most_used.compare_exchange_weak(most, now)) {
  }
  return true;
}

namespace simulator::runtime {
namespace {

// The program's pools, the default ones too.
struct Pools {
  struct OfDevice {
    std::shared_ptr<Pool> standard, current;
  };

  std::mutex mutex;
  std::vector<OfDevice> of_device;
  std::unordered_map<cudaMemPool_t, std::shared_ptr<Pool>> all;

  Pools() {
    for (uint32_t device = 0; device < devices().size(); ++device) {
      const std::shared_ptr<Pool> standard = make(device, 0);
      of_device.push_back({standard, standard});
    }
  }
  std::shared_ptr<Pool> make(uint32_t device, uint64_t most_bytes) {
    auto pool = std::make_shared<Pool>(device, most_bytes);
    all[pool.get()] = pool;
    return pool;
  }
  bool is_standard(const Pool* pool) const {
    return of_device[pool->device].standard.get() == pool;
  }
};

Pools& pools() {
  static Pools* const instance = new Pools;  // static destructors may still make calls
  return *instance;
}

// Runs `then` with a pool, or returns the error of a handle that has none.
template <typename Then>
cudaError_t with_pool(cudaMemPool_t handle, Then then, const char* name = __builtin_FUNCTION()) {
  return asynchronous(
      [&] {
        const std::shared_ptr<Pool> pool = find_pool(handle);
        return pool == nullptr ? cudaErrorInvalidValue : then(*pool);
      },
      name);
}

// Gives the program one of a device's pools.
cudaError_t give(cudaMemPool_t* pool, int device, std::shared_ptr<Pool> Pools::OfDevice::* which,
                 const char* name = __builtin_FUNCTION()) {
  return asynchronous(
      [&] {
        if (pool == nullptr) return cudaErrorInvalidValue;
        if (!is_device(device)) return cudaErrorInvalidDevice;
        const std::lock_guard lock(pools().mutex);
        *pool = (pools().of_device[static_cast<size_t>(device)].*which).get();
        return cudaSuccess;
      },
      name);
}

bool names_device(const cudaMemLocation& location) {
  return location.type == cudaMemLocationTypeDevice && is_device(location.id);
}

bool is_switch(cudaMemPoolAttr attribute) {
  return attribute >= cudaMemPoolReuseFollowEventDependencies &&
         attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

std::atomic<int>& switch_of(Pool& pool, cudaMemPoolAttr attribute) {
  return pool.switches.at(static_cast<size_t>(attribute - cudaMemPoolReuseFollowEventDependencies));
}

cudaError_t get(Pool& pool, cudaMemPoolAttr attribute, void* value) {
  if (value == nullptr) return cudaErrorInvalidValue;
  if (is_switch(attribute)) {
    *static_cast<int*>(value) = switch_of(pool, attribute);
    return cudaSuccess;
  }
  uint64_t& number = *static_cast<uint64_t*>(value);
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      number = pool.release_threshold;
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
      number = pool.used;
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
      number = pool.most_used;
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

cudaError_t set(Pool& pool, cudaMemPoolAttr attribute, const void* value) {
  if (value == nullptr) return cudaErrorInvalidValue;
  if (is_switch(attribute)) {
    switch_of(pool, attribute) = *static_cast<const int*>(value);
    return cudaSuccess;
  }
  const uint64_t number = *static_cast<const uint64_t*>(value);
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      pool.release_threshold = number;
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:  // the mark can only go back
      if (number != 0) return cudaErrorInvalidValue;
      pool.most_used = pool.used.load();
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

// Returns success if a pool's memory can be made accessible, or not, as described.
cudaError_t check(const Pool& pool, const cudaMemAccessDesc& wanted) {
  if (!names_device(wanted.location)) return cudaErrorInvalidDevice;
  const bool is_own = wanted.location.id == static_cast<int>(pool.device);
  return is_own && wanted.flags == cudaMemAccessFlagsProtNone ? cudaErrorInvalidDevice
                                                              : cudaSuccess;
}

}  // namespace

std::shared_ptr<Pool> find_pool(cudaMemPool_t handle) {
  const std::lock_guard lock(pools().mutex);
  const auto found = pools().all.find(handle);
  return found == pools().all.end() ? nullptr : found->second;
}

std::shared_ptr<Pool> current_pool() {
  const std::lock_guard lock(pools().mutex);
  return pools().of_device[current_device().number].current;
}

void reset_pools() {
  const std::lock_guard lock(pools().mutex);
  const uint32_t device = current_device().number;
  auto& [standard, current] = pools().of_device[device];
  current = standard;
  std::erase_if(pools().all, [&](const auto& one) {
    return one.second->device == device && !pools().is_standard(one.first);
  });
}

cudaError_t check(const cudaMemPoolProps& wanted) {
  if (wanted.allocType != cudaMemAllocationTypePinned || !names_device(wanted.location))
    return cudaErrorInvalidValue;
  if (wanted.handleTypes == cudaMemHandleTypeNone) return cudaSuccess;
  return refuse(cudaErrorNotSupported, [] {
    return Refusal{std::string(Call::current()) +
                       " is asked for memory that processes share, which the simulated GPU does "
                       "not have",
                   "handleTypes = cudaMemHandleTypeNone", ""};
  });
}

}  // namespace simulator::runtime

using namespace simulator;
using namespace simulator::runtime;

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return give(pool, device, &Pools::OfDevice::standard);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return give(pool, device, &Pools::OfDevice::current);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
  return asynchronous([&] {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    const std::shared_ptr<Pool> pool = find_pool(handle);
    if (pool == nullptr || static_cast<int>(pool->device) != device) return cudaErrorInvalidValue;
    const std::lock_guard lock(pools().mutex);
    pools().of_device[pool->device].current = pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* wanted) {
  return asynchronous([&] {
    if (pool == nullptr || wanted == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t error = check(*wanted); error != cudaSuccess) return error;
    const std::lock_guard lock(pools().mutex);
    *pool = pools().make(static_cast<uint32_t>(wanted->location.id), wanted->maxSize).get();
    return cudaSuccess;
  });
}

// The pool's allocations stay until they are freed.
cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  return with_pool(handle, [&](const Pool& pool) {
    const std::lock_guard lock(pools().mutex);
    if (pools().is_standard(&pool)) return cudaErrorInvalidValue;
    auto& [standard, current] = pools().of_device[pool.device];
    if (current.get() == &pool) current = standard;
    pools().all.erase(handle);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return with_pool(handle, [&](Pool& pool) { return get(pool, attribute, value); });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return with_pool(handle, [&](Pool& pool) { return set(pool, attribute, value); });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t /*bytes*/) {
  return with_pool(handle, [](const Pool&) { return cudaSuccess; });
}

// Here the other device reaches all memory of the pool's device, or no longer: see cudaDeviceEnablePeerAccess.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc* wanted,
                                 size_t count) {
  return with_pool(handle, [&](const Pool& pool) {
    if (wanted == nullptr && count > 0) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      if (const cudaError_t error = check(pool, wanted[i]); error != cudaSuccess) return error;
    }
    for (size_t i = 0; i < count; ++i) {
      SimulatedDevice& other = *devices()[static_cast<size_t>(wanted[i].location.id)];
      if (other.number != pool.device)
        other.memory.reach(pool.device, wanted[i].flags != cudaMemAccessFlagsProtNone);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t handle,
                                 cudaMemLocation* location) {
  return with_pool(handle, [&](const Pool& pool) {
    if (flags == nullptr || location == nullptr) return cudaErrorInvalidValue;
    if (!names_device(*location)) return cudaErrorInvalidDevice;
    const SimulatedDevice& other = *devices()[static_cast<size_t>(location->id)];
    *flags = other.memory.reaches(pool.device) ? cudaMemAccessFlagsProtReadWrite
                                               : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}

}  // extern "C"
