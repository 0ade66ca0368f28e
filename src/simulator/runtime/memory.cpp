// Allocating, copying and filling memory.
#include "simulator/runtime/memory.hpp"

#include <cuda_runtime_api.h>

#include <cstring>
#include <limits>
#include <mutex>
#include <unordered_map>

#include "simulator/hazards/device_shadow.hpp"
#include "simulator/hazards/hazard_store.hpp"
#include "simulator/memory/memory.hpp"
#include "simulator/runtime/calls.hpp"
#include "simulator/runtime/registry.hpp"
#include "simulator/runtime/streams.hpp"

namespace simulator::runtime {
namespace {

constexpr size_t PITCH_ALIGNMENT = 512;  // an H200's

// How an allocation was made, which decides how it may be freed.
enum class Origin { device, pinned, managed };

// The program's live allocations by their first byte. Variables of modules are not among them.
struct Allocations {
  std::mutex mutex;
  std::unordered_map<uint64_t, Origin> origin;
};

Allocations& allocations() {
  static Allocations* const instance = new Allocations;
  return *instance;
}

uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

cudaError_t allocate(void** pointer, size_t bytes, Origin origin) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  const std::lock_guard lock(allocations().mutex);
  const uint64_t base = DeviceMemory::instance().allocate(
      bytes, origin == Origin::device ? HostAccess::device_only : HostAccess::host_visible);
  if (base == 0) return cudaErrorMemoryAllocation;
  allocations().origin.emplace(base, origin);
  if (looks_for_hazards())
    DeviceShadow::instance().allocated(base, bytes, origin != Origin::device);
  *pointer = reinterpret_cast<void*>(base);
  return cudaSuccess;
}

cudaError_t release(void* pointer, bool pinned) {
  if (pointer == nullptr) return cudaSuccess;
  const std::lock_guard lock(allocations().mutex);
  const auto found = allocations().origin.find(address_of(pointer));
  if (found == allocations().origin.end() || (found->second == Origin::pinned) != pinned) {
    return cudaErrorInvalidValue;
  }
  DeviceMemory::instance().release(found->first);
  DeviceShadow::instance().released(found->first);
  allocations().origin.erase(found);
  return cudaSuccess;
}

bool is_managed(const Allocation& allocation) {
  if (allocation.adopted) return is_managed_variable(allocation.host);
  const std::lock_guard lock(allocations().mutex);
  const auto known = allocations().origin.find(allocation.base);
  return known != allocations().origin.end() && known->second == Origin::managed;
}

// For advice about managed memory: whether all of it is.
cudaError_t check_managed(const void* pointer, size_t bytes, int device) {
  if (device != 0 && device != cudaCpuDeviceId) return cudaErrorInvalidDevice;
  const Allocation* const found = DeviceMemory::instance().find(address_of(pointer));
  if (found == nullptr || !is_managed(*found)) return cudaErrorInvalidValue;
  const bool inside = DeviceMemory::instance().host_pointer(address_of(pointer), bytes) != nullptr;
  return inside ? cudaSuccess : cudaErrorInvalidValue;
}

// A rectangle of bytes; a plain range is one row.
struct Extent {
  size_t width = 0;
  size_t height = 1;

  // Bytes from the first to past the last one, or nothing if that is beyond a size_t.
  bool span(size_t pitch, size_t* bytes) const {
    size_t rows = 0;
    return !__builtin_mul_overflow(height - 1, pitch, &rows) &&
           !__builtin_add_overflow(rows, width, bytes);
  }
};

enum class Side { device, any };

// Where one side of a copy lies on the host, or nullptr if it is not where its kind of copy wants it. The
// device's side must be memory the device knows; the other may be host memory too. As with unified addressing
// the address decides, not the direction: a copy "to the host" may end in device memory.
std::byte* locate(const void* pointer, size_t bytes, Side side) {
  const uint64_t address = address_of(pointer);
  if (pointer == nullptr) return nullptr;
  const DeviceMemory& memory = DeviceMemory::instance();
  if (memory.owns(address)) return memory.host_pointer(address, bytes);
  if (side == Side::device) return nullptr;
  return const_cast<std::byte*>(static_cast<const std::byte*>(pointer));
}

cudaError_t copy(void* to, size_t to_pitch, const void* from, size_t from_pitch, Extent extent,
                 cudaMemcpyKind kind) {
  if (extent.width == 0 || extent.height == 0) return cudaSuccess;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  size_t to_bytes = 0;
  size_t from_bytes = 0;
  if (!extent.span(to_pitch, &to_bytes) || !extent.span(from_pitch, &from_bytes)) {
    return cudaErrorInvalidValue;
  }
  std::byte* const target = locate(to, to_bytes, to_device ? Side::device : Side::any);
  const std::byte* const source = locate(from, from_bytes, from_device ? Side::device : Side::any);
  if (target == nullptr || source == nullptr) return cudaErrorInvalidValue;
  for (size_t row = 0; row < extent.height; ++row) {
    std::memmove(target + row * to_pitch, source + row * from_pitch, extent.width);
    DeviceShadow::instance().written(address_of(to) + row * to_pitch, extent.width);
  }
  return cudaSuccess;
}

cudaError_t copy_rectangle(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                           Extent extent, cudaMemcpyKind kind) {
  if (extent.width > to_pitch || extent.width > from_pitch) return cudaErrorInvalidPitchValue;
  return copy(to, to_pitch, from, from_pitch, extent, kind);
}

cudaError_t copy_line(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return copy(to, bytes, from, bytes, {.width = bytes}, kind);
}

cudaError_t fill(void* pointer, size_t pitch, int value, Extent extent) {
  if (extent.width == 0 || extent.height == 0) return cudaSuccess;
  if (extent.height > 1 && extent.width > pitch) return cudaErrorInvalidValue;
  size_t bytes = 0;
  if (!extent.span(pitch, &bytes)) return cudaErrorInvalidValue;
  std::byte* const target = locate(pointer, bytes, Side::device);
  if (target == nullptr) return cudaErrorInvalidValue;
  for (size_t row = 0; row < extent.height; ++row) {
    std::memset(target + row * pitch, value, extent.width);
    DeviceShadow::instance().written(address_of(pointer) + row * pitch, extent.width);
  }
  return cudaSuccess;
}

// Runs `work` if the stream exists.
template <typename Work>
cudaError_t in_stream(cudaStream_t stream, Work work) {
  return synchronous(
      [&] { return stream_exists(stream) ? work() : cudaErrorInvalidResourceHandle; });
}

// The part of a variable that starts at `offset`, in *address. `bytes` must fit.
cudaError_t part_of_symbol(const void* symbol, size_t offset, size_t bytes, void** address) {
  const Variable variable = find_variable(symbol);
  if (variable.address == 0) return cudaErrorInvalidSymbol;
  if (offset > variable.bytes || bytes > variable.bytes - offset) return cudaErrorInvalidValue;
  *address = reinterpret_cast<void*>(variable.address + offset);
  return cudaSuccess;
}

}  // namespace

void free_everything() {
  const std::lock_guard lock(allocations().mutex);
  for (const auto& [base, origin] : allocations().origin) {
    DeviceMemory::instance().release(base);
    DeviceShadow::instance().released(base);
  }
  allocations().origin.clear();
  DeviceMemory::instance().release_heap();
}

}  // namespace simulator::runtime

using namespace simulator;
using namespace simulator::runtime;

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return synchronous([&] { return allocate(pointer, bytes, Origin::device); });
}

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  return in_stream(stream, [&] { return allocate(pointer, bytes, Origin::device); });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return synchronous([&] {
    if (pointer == nullptr || pitch == nullptr) return cudaErrorInvalidValue;
    if (width > std::numeric_limits<size_t>::max() - PITCH_ALIGNMENT) return cudaErrorInvalidValue;
    *pitch = (width + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
    size_t bytes = 0;
    if (__builtin_mul_overflow(*pitch, height, &bytes)) return cudaErrorMemoryAllocation;
    return allocate(pointer, bytes, Origin::device);
  });
}

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned int flags) {
  return synchronous([&] {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
    return allocate(pointer, bytes, Origin::managed);
  });
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  return synchronous([&] {
    constexpr unsigned int KNOWN =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if ((flags & ~KNOWN) != 0) return cudaErrorInvalidValue;
    return allocate(pointer, bytes, Origin::pinned);
  });
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int flags) {
  return synchronous([&] {
    const Allocation* const found = DeviceMemory::instance().find(address_of(host));
    if (device == nullptr || flags != 0 || found == nullptr || !found->host_visible) {
      return cudaErrorInvalidValue;
    }
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int flags) {
  return synchronous([&] {
    constexpr unsigned int KNOWN =
        cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly;
    if (pointer == nullptr || bytes == 0 || (flags & ~KNOWN) != 0) return cudaErrorInvalidValue;
    const bool adopted = DeviceMemory::instance().adopt(pointer, bytes);
    return adopted ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return synchronous([&] {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    const bool known = !is_managed_variable(pointer) && DeviceMemory::instance().forget(pointer);
    return known ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
  });
}

cudaError_t cudaFree(void* pointer) {
  return synchronous([&] { return release(pointer, false); });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return in_stream(stream, [&] { return release(pointer, false); });
}

cudaError_t cudaFreeHost(void* pointer) {
  return synchronous([&] { return release(pointer, true); });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return synchronous([&] {
    if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
    *free = DeviceMemory::instance().free_bytes();
    *total = DeviceMemory::instance().total_bytes();
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return synchronous([&] {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    constexpr int NO_DEVICE = -2;
    void* const same = const_cast<void*>(pointer);
    const Allocation* const found = DeviceMemory::instance().find(address_of(pointer));
    if (found == nullptr) {
      *attributes = {cudaMemoryTypeUnregistered, NO_DEVICE, nullptr, same};
      return cudaSuccess;
    }
    if (!found->host_visible) {
      *attributes = {cudaMemoryTypeDevice, 0, same, nullptr};
      return cudaSuccess;
    }
    *attributes = {is_managed(*found) ? cudaMemoryTypeManaged : cudaMemoryTypeHost, 0, same, same};
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return synchronous([&] { return copy_line(to, from, bytes, kind); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return in_stream(stream, [&] { return copy_line(to, from, bytes, kind); });
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return synchronous(
      [&] { return copy_rectangle(to, to_pitch, from, from_pitch, {width, height}, kind); });
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return in_stream(stream, [&] {
    return copy_rectangle(to, to_pitch, from, from_pitch, {width, height}, kind);
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return synchronous([&] {
    if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost) {
      return cudaErrorInvalidMemcpyDirection;
    }
    void* to = nullptr;
    const cudaError_t error = part_of_symbol(symbol, offset, bytes, &to);
    return error != cudaSuccess ? error : copy_line(to, from, bytes, kind);
  });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return synchronous([&] {
    if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice) {
      return cudaErrorInvalidMemcpyDirection;
    }
    void* from = nullptr;
    const cudaError_t error = part_of_symbol(symbol, offset, bytes, &from);
    return error != cudaSuccess ? error : copy_line(to, from, bytes, kind);
  });
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device,
                                 cudaStream_t stream) {
  return in_stream(stream, [&] { return check_managed(pointer, bytes, device); });
}

cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise /*advice*/,
                          int device) {
  return synchronous([&] { return check_managed(pointer, bytes, device); });
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return synchronous([&] {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    return part_of_symbol(symbol, 0, 0, pointer);
  });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return synchronous([&] {
    if (bytes == nullptr) return cudaErrorInvalidValue;
    const Variable variable = find_variable(symbol);
    if (variable.address == 0) return cudaErrorInvalidSymbol;
    *bytes = variable.bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaMemset(void* pointer, int value, size_t bytes) {
  return synchronous([&] { return fill(pointer, bytes, value, {.width = bytes}); });
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream) {
  return in_stream(stream, [&] { return fill(pointer, bytes, value, {.width = bytes}); });
}

cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  return synchronous([&] { return fill(pointer, pitch, value, {width, height}); });
}

cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return in_stream(stream, [&] { return fill(pointer, pitch, value, {width, height}); });
}

}  // extern "C"
