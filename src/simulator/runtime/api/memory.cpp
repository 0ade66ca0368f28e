// Allocation, copies and fills of memory.
#include "simulator/runtime/api/memory.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/refusal.hpp"
#include "simulator/runtime/api/registry.hpp"
#include "simulator/runtime/api/simulated_device.hpp"
#include "simulator/runtime/api/streams.hpp"

namespace simulator::runtime {
namespace {

constexpr size_t PITCH_ALIGNMENT = 512;  // an H200's

Allocations& allocations() { return current_device().allocations; }

uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

std::string bytes_text(uint64_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

// Returns the refusal "cudaMemcpy WHAT".
Refusal refusal(const std::string& what, const std::string& advice) {
  return {std::string(Call::current()) + " " + what, advice, ""};
}

const char* maker_of(Origin origin) {
  switch (origin) {
    case Origin::device:
      return "cudaMalloc";
    case Origin::pinned:
      return "cudaMallocHost";
    case Origin::managed:
      return "cudaMallocManaged";
  }
  return "";
}

cudaError_t allocate(void** pointer, size_t bytes, Origin origin) {
  if (pointer == nullptr) {
    return refuse(cudaErrorInvalidValue, [] {
      return refusal(
          "has no place to put the new pointer",
          std::string("the address of a pointer: ") + Call::current() + "(&pointer, bytes)");
    });
  }
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  const std::lock_guard lock(allocations().mutex);
  const uint64_t base = current_device().memory.allocate(
      bytes, origin == Origin::device ? HostAccess::device_only : HostAccess::host_visible);
  if (base == 0) return cudaErrorMemoryAllocation;
  const bool host_visible = origin != Origin::device;
  if (looks_for_hazards()) current_device().shadow.allocated(base, bytes, host_visible);
  publish(&Watcher::allocated,
          Watcher::NewMemory{base, bytes, current_device().memory.find(base)->id, host_visible});
  allocations().made.emplace(base, Made{origin, bytes});
  *pointer = reinterpret_cast<void*>(base);
  return cudaSuccess;
}

// Returns the refusal to free a pointer that starts no live allocation.
Refusal not_to_free(const void* pointer, bool pinned) {
  const DeviceMemory& memory = current_device().memory;
  const uint64_t address = address_of(pointer);
  const std::string maker = pinned ? "cudaMallocHost" : "cudaMalloc";
  if (memory.was_freed(address)) {
    return refusal("was given memory that was freed before: " + memory.place_of(address).text(),
                   std::string(Call::current()) + " once for each " + maker +
                       "; set the pointer to nullptr after it, and freeing it again does no harm");
  }
  const Allocation* const around = memory.find(address);
  if (around != nullptr && around->adopted) {
    return refusal("was given memory of the host's own: " + memory.place_of(address).text(),
                   "cudaHostUnregister ends what cudaHostRegister began");
  }
  if (around != nullptr) {
    return refusal(
        "was given a pointer that " + maker + " did not give: " + memory.place_of(address).text(),
        "the very pointer that " + maker + " gave, not one that was moved on from it");
  }
  return refusal(
      "was given a pointer that " + maker + " did not give: " + memory.place_of(address).text(),
      "free() or delete for memory of the host's own; was the pointer ever set?");
}

cudaError_t release(void* pointer, bool pinned) {
  if (pointer == nullptr) return cudaSuccess;
  const std::lock_guard lock(allocations().mutex);
  const auto found = allocations().made.find(address_of(pointer));
  if (found == allocations().made.end()) {
    if (allocations().reset.contains(address_of(pointer))) return cudaErrorInvalidValue;
    return refuse(cudaErrorInvalidValue, [&] { return not_to_free(pointer, pinned); });
  }
  const Origin origin = found->second.origin;
  if ((origin == Origin::pinned) != pinned) {
    return refuse(cudaErrorInvalidValue, [&] {
      return refusal("was given memory of " + std::string(maker_of(origin)) + ": " +
                         current_device().memory.place_of(found->first).text(),
                     origin == Origin::pinned
                         ? "cudaFreeHost for memory from cudaMallocHost or cudaHostAlloc"
                         : "cudaFree for memory from cudaMalloc or cudaMallocManaged");
    });
  }
  publish(&Watcher::about_to_free, found->first, found->second.bytes);
  current_device().memory.release(found->first);
  current_device().shadow.released(found->first);
  allocations().made.erase(found);
  return cudaSuccess;
}

bool is_managed(const Allocation& allocation) {
  if (allocation.adopted) return is_managed_variable(allocation.host);
  const std::lock_guard lock(allocations().mutex);
  const auto known = allocations().made.find(allocation.base);
  return known != allocations().made.end() && known->second.origin == Origin::managed;
}

// Checks the range of advice about managed memory: all of it must be managed.
cudaError_t check_managed(const void* pointer, size_t bytes, int device) {
  if (device != 0 && device != cudaCpuDeviceId) return cudaErrorInvalidDevice;
  const Allocation* const found = current_device().memory.find(address_of(pointer));
  if (found == nullptr || !is_managed(*found)) return cudaErrorInvalidValue;
  const bool inside = current_device().memory.host_pointer(address_of(pointer), bytes) != nullptr;
  return inside ? cudaSuccess : cudaErrorInvalidValue;
}

// A rectangle of bytes. A plain range is one row.
struct Extent {
  size_t width = 0;
  size_t height = 1;

  // Computes the bytes from the first to past the last one. Returns false if they exceed a size_t.
  bool span(size_t pitch, size_t* bytes) const {
    size_t rows = 0;
    return !__builtin_mul_overflow(height - 1, pitch, &rows) &&
           !__builtin_add_overflow(rows, width, bytes);
  }
};

enum class Side { device, any };

// Returns the host address of one side of a copy, or nullptr if the memory does not fit the copy's kind. The
// device's side must be memory that the device knows. The other side may also be host memory. As with unified
// addressing, the address decides, not the direction: a copy "to the host" may end in device memory.
std::byte* locate(const void* pointer, size_t bytes, Side side) {
  const uint64_t address = address_of(pointer);
  if (pointer == nullptr) return nullptr;
  const DeviceMemory& memory = current_device().memory;
  if (memory.owns(address)) return memory.host_pointer(address, bytes);
  if (side == Side::device) return nullptr;
  return const_cast<std::byte*>(static_cast<const std::byte*>(pointer));
}

// One unusable side of a copy or fill.
struct Unusable {
  const char* role;  // "destination"
  const void* pointer;
  size_t bytes;
  bool must_be_device;
  bool is_copy = true;  // else a fill
};

// Refuses more bytes than the allocation has. A size in elements is the usual mistake.
Refusal too_many_bytes(const Unusable& side, const Allocation& around) {
  const uint64_t address = address_of(side.pointer);
  const uint64_t left = around.base + around.bytes - address;
  const std::string name = current_device().memory.name_of(around.id);
  const bool is_element_count =
      side.bytes / left * left == side.bytes && (side.bytes / left == 4 || side.bytes / left == 8);
  const std::string from_here =
      left == around.bytes ? "" : " of " + std::to_string(around.bytes) + " from there on";
  return refusal("is asked for " + bytes_text(side.bytes) + ", but its " + side.role + ", " + name +
                     ", has " + bytes_text(left) + from_here,
                 is_element_count
                     ? "cudaMalloc takes bytes, not elements: n * sizeof(float)?"
                     : "sizes are in bytes, not elements: n * sizeof(float)? Or allocate more");
}

// Refuses the name of a __device__ or __constant__ variable. In host code it means a host variable, by which the
// API finds the device's variable.
Refusal is_variable(const Unusable& side, const std::string& name) {
  const std::string address = "cudaGetSymbolAddress(&pointer, " + name + ") for a pointer to it";
  const std::string copy = side.role == std::string_view("source")
                               ? "cudaMemcpyFromSymbol(to, " + name + ", bytes)"
                               : "cudaMemcpyToSymbol(" + name + ", from, bytes)";
  return refusal(std::string("was given as its ") + side.role + " " + name +
                     ", a variable of the device: its name is no pointer in host code",
                 side.is_copy ? copy + "; or " + address : address);
}

Refusal not_usable(const Unusable& side) {
  const DeviceMemory& memory = current_device().memory;
  const uint64_t address = address_of(side.pointer);
  const std::string given = std::string("was given as its ") + side.role + " ";
  if (side.pointer == nullptr) {
    return refusal(given + "a null pointer",
                   side.must_be_device
                       ? "pass a pointer from cudaMalloc; check cudaMalloc's return code"
                       : "pass a pointer to allocated memory: did an allocation fail?");
  }
  if (const Allocation* const around = memory.find(address)) return too_many_bytes(side, *around);
  if (memory.was_freed(address)) {
    return refusal(given + "memory that was freed before: " + memory.place_of(address).text(),
                   "free it after the last use, or pass the pointer of the new allocation");
  }
  if (memory.owns(address)) {
    return refusal(given + "memory of nobody: " + memory.place_of(address).text(),
                   "a pointer within an allocation; offsets of a pointer are in elements");
  }
  if (const std::string name = variable_around(side.pointer); !name.empty())
    return is_variable(side, name);
  return refusal(
      given + "a pointer to host memory, where memory of the device must be",
      "destination first, then source: cudaMemcpy(to, from, bytes, kind); cudaMemset takes "
      "device memory");
}

// Refuses a copy whose sides are in the opposite memories of its kind.
Refusal wrong_direction(cudaMemcpyKind kind, bool both_swapped) {
  const bool to_device = kind == cudaMemcpyHostToDevice;
  const std::string said = to_device ? "cudaMemcpyHostToDevice" : "cudaMemcpyDeviceToHost";
  const std::string other = to_device ? "cudaMemcpyDeviceToHost" : "cudaMemcpyHostToDevice";
  if (!both_swapped) {
    return refusal(
        "says " + said + ", but no side of it is memory of the device",
        "memory from cudaMalloc on the device's side; std::memcpy between host and host");
  }
  return refusal("says " + said + ", but its destination is " +
                     (to_device ? "host memory and its source the device's"
                                : "the device's memory and its source the host's"),
                 other + ", or the first two arguments the other way round: destination first");
}

Refusal too_large() {
  return refusal("is asked for more bytes than there are addresses",
                 "pass sizes of 0 or more: a negative number becomes a very large one");
}

Refusal too_wide(size_t width, size_t pitch) {
  return refusal("has rows of " + bytes_text(width) + ", but a pitch of " + bytes_text(pitch),
                 "width and pitch are both in bytes, and a pitch is never below the width");
}

// The order of work: over when the call returns, or in a stream.
struct Order {
  bool returns_at_once = false;
  cudaStream_t stream = nullptr;
};
constexpr Order AT_ONCE{};

cudaError_t copy(void* to, size_t to_pitch, const void* from, size_t from_pitch, Extent extent,
                 cudaMemcpyKind kind, const Order& order) {
  if (extent.width == 0 || extent.height == 0) return cudaSuccess;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return refuse(cudaErrorInvalidMemcpyDirection, [&] {
      return refusal("was given an unknown kind of copy: " + std::to_string(static_cast<int>(kind)),
                     "cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost or cudaMemcpyDeviceToDevice");
    });
  }
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  size_t to_bytes = 0;
  size_t from_bytes = 0;
  if (!extent.span(to_pitch, &to_bytes) || !extent.span(from_pitch, &from_bytes)) {
    return refuse(cudaErrorInvalidValue, too_large);
  }
  std::byte* const target = locate(to, to_bytes, to_device ? Side::device : Side::any);
  const std::byte* const source = locate(from, from_bytes, from_device ? Side::device : Side::any);
  if (target == nullptr || source == nullptr) {
    return refuse(cudaErrorInvalidValue, [&] {
      const DeviceMemory& memory = current_device().memory;
      const void* const device_side = to_device ? to : from;
      const void* const host_side = to_device ? from : to;
      const bool one_side = to_device != from_device;
      const bool is_host = device_side != nullptr && !memory.owns(address_of(device_side));
      const std::string variable = variable_around(device_side);
      if ((to_device || from_device) && !variable.empty()) {
        return to_device ? is_variable({"destination", to, to_bytes, true}, variable)
                         : is_variable({"source", from, from_bytes, true}, variable);
      }
      if (one_side && is_host) return wrong_direction(kind, memory.owns(address_of(host_side)));
      if (target == nullptr) return not_usable({"destination", to, to_bytes, to_device});
      return not_usable({"source", from, from_bytes, from_device});
    });
  }
  if (!current_device().memory.owns(address_of(to)) &&
      current_device().shadow.is_untouched(address_of(from), from_bytes)) {
    tell_of_call(HazardKind::unwritten_read, [&] {
      return refusal("copies " + bytes_text(from_bytes) + " to the host that nobody wrote: " +
                         current_device().memory.place_of(address_of(from)).text(),
                     "check cudaGetLastError() after the launch that should have written them: did "
                     "it run, and is this its buffer?");
    });
  }
  {
    const DeviceAtWork at_work;
    for (size_t row = 0; row < extent.height; ++row) {
      std::memmove(target + row * to_pitch, source + row * from_pitch, extent.width);
      current_device().shadow.written(address_of(to) + row * to_pitch, extent.width);
    }
  }
  if (order.returns_at_once) {
    publish(&Watcher::copied, address_of(to), to_bytes, true, order.stream);
    publish(&Watcher::copied, address_of(from), from_bytes, false, order.stream);
  } else {
    publish(&Watcher::waited_for_all);
  }
  return cudaSuccess;
}

cudaError_t copy_rectangle(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                           Extent extent, cudaMemcpyKind kind, const Order& order) {
  if (extent.width > to_pitch || extent.width > from_pitch) {
    return refuse(cudaErrorInvalidPitchValue,
                  [&] { return too_wide(extent.width, std::min(to_pitch, from_pitch)); });
  }
  return copy(to, to_pitch, from, from_pitch, extent, kind, order);
}

cudaError_t copy_line(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                      const Order& order = AT_ONCE) {
  return copy(to, bytes, from, bytes, {.width = bytes}, kind, order);
}

cudaError_t fill(void* pointer, size_t pitch, int value, Extent extent, const Order& order) {
  if (extent.width == 0 || extent.height == 0) return cudaSuccess;
  if (extent.height > 1 && extent.width > pitch) {
    return refuse(cudaErrorInvalidValue, [&] { return too_wide(extent.width, pitch); });
  }
  size_t bytes = 0;
  if (!extent.span(pitch, &bytes)) return refuse(cudaErrorInvalidValue, too_large);
  std::byte* const target = locate(pointer, bytes, Side::device);
  if (target == nullptr) {
    return refuse(cudaErrorInvalidValue,
                  [&] { return not_usable({"destination", pointer, bytes, true, false}); });
  }
  {
    const DeviceAtWork at_work;
    for (size_t row = 0; row < extent.height; ++row) {
      std::memset(target + row * pitch, value, extent.width);
      current_device().shadow.written(address_of(pointer) + row * pitch, extent.width);
    }
  }
  if (order.returns_at_once) {
    publish(&Watcher::copied, address_of(pointer), bytes, true, order.stream);
  } else {
    publish(&Watcher::waited_for_all);
  }
  return cudaSuccess;
}

// Runs `work` if the stream exists.
template <typename Work>
cudaError_t in_stream(cudaStream_t stream, Work work, const char* name = __builtin_FUNCTION()) {
  return synchronous([&] { return stream_exists(stream) ? work() : refuse_stream(); }, name);
}

cudaError_t refuse_symbol() {
  return refuse(cudaErrorInvalidSymbol, [] {
    return refusal(
        "was given a symbol that is no __device__ or __constant__ variable of this program",
        std::string("the variable itself, not its address, nor its name in quotes: ") +
            Call::current() + "(variable, ...)");
  });
}

cudaError_t refuse_symbol_direction(const char* needed) {
  return refuse(cudaErrorInvalidMemcpyDirection, [&] {
    return refusal("was given a direction that it cannot have",
                   std::string("leave out the last argument, or ") + needed);
  });
}

// Sets *address to the part of a variable that starts at `offset`. `bytes` must fit.
cudaError_t part_of_symbol(const void* symbol, size_t offset, size_t bytes, void** address) {
  const Variable variable = find_variable(symbol);
  if (variable.address == 0) return refuse_symbol();
  if (offset > variable.bytes || bytes > variable.bytes - offset) {
    return refuse(cudaErrorInvalidValue, [&] {
      return refusal("is asked for " + bytes_text(bytes) + " from byte " + std::to_string(offset) +
                         " on of a variable of " + bytes_text(variable.bytes),
                     "sizes and offsets are in bytes, at most sizeof(variable) in all");
    });
  }
  *address = reinterpret_cast<void*>(variable.address + offset);
  return cudaSuccess;
}

}  // namespace

void free_everything() {
  const std::lock_guard lock(allocations().mutex);
  publish(&Watcher::waited_for_all);
  for (const auto& [base, made] : allocations().made) {
    publish(&Watcher::about_to_free, base, made.bytes);
    current_device().memory.release(base);
    allocations().reset.insert(base);
    current_device().shadow.released(base);
  }
  allocations().made.clear();
  current_device().memory.release_heap();
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
    const Allocation* const found = current_device().memory.find(address_of(host));
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
    const bool adopted = current_device().memory.adopt(pointer, bytes);
    return adopted ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return synchronous([&] {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    const bool known = !is_managed_variable(pointer) && current_device().memory.forget(pointer);
    return known ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
  });
}

cudaError_t cudaFree(void* pointer) {
  return synchronous([&] {
    note_wait();
    publish(&Watcher::waited_for_all);
    return release(pointer, false);
  });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return in_stream(stream, [&] { return release(pointer, false); });
}

cudaError_t cudaFreeHost(void* pointer) {
  return synchronous([&] {
    note_wait();
    publish(&Watcher::waited_for_all);
    return release(pointer, true);
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return synchronous([&] {
    if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
    *free = current_device().memory.free_bytes();
    *total = current_device().memory.total_bytes();
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return synchronous([&] {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    constexpr int NO_DEVICE = -2;
    void* const same = const_cast<void*>(pointer);
    const Allocation* const found = current_device().memory.find(address_of(pointer));
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
  return synchronous([&] {
    note_wait();
    return copy_line(to, from, bytes, kind);
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return in_stream(stream, [&] { return copy_line(to, from, bytes, kind, {true, stream}); });
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return synchronous([&] {
    note_wait();
    return copy_rectangle(to, to_pitch, from, from_pitch, {width, height}, kind, AT_ONCE);
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return in_stream(stream, [&] {
    return copy_rectangle(to, to_pitch, from, from_pitch, {width, height}, kind, {true, stream});
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return synchronous([&] {
    note_wait();
    if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost) {
      return refuse_symbol_direction("cudaMemcpyHostToDevice");
    }
    void* to = nullptr;
    const cudaError_t error = part_of_symbol(symbol, offset, bytes, &to);
    return error != cudaSuccess ? error : copy_line(to, from, bytes, kind);
  });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return synchronous([&] {
    note_wait();
    if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice) {
      return refuse_symbol_direction("cudaMemcpyDeviceToHost");
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
    if (variable.address == 0) return refuse_symbol();
    *bytes = variable.bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaMemset(void* pointer, int value, size_t bytes) {
  return synchronous([&] { return fill(pointer, bytes, value, {.width = bytes}, AT_ONCE); });
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream) {
  return in_stream(stream,
                   [&] { return fill(pointer, bytes, value, {.width = bytes}, {true, stream}); });
}

cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  return synchronous([&] { return fill(pointer, pitch, value, {width, height}, AT_ONCE); });
}

cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return in_stream(stream,
                   [&] { return fill(pointer, pitch, value, {width, height}, {true, stream}); });
}

}  // extern "C"
