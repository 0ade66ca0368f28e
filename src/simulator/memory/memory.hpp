// Device memory of the simulated GPU: allocations with bounds and names.
//
// Each device's addresses come from a range of their own, and no address is handed out twice. So host code that
// dereferences a device pointer crashes as it does with a GPU, and a freed address stays recognisable. Every
// allocation is 256-byte aligned, as with cudaMalloc. The gap up to the next allocation is a red zone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "simulator/fault.hpp"

namespace simulator {

struct Allocation {
  uint64_t base = 0;          // device address of the first byte
  uint64_t bytes = 0;         // size as requested; the byte after the last is out of bounds
  std::byte* host = nullptr;  // the bytes on the host
  uint32_t id = 0;            // 1, 2, 3, ... in the order of allocation
  uint32_t device = 0;        // the number of the device that it was made on
  uint32_t revivals = 0;      // see DeviceMemory::revive()
  bool live = true;
  bool host_visible = false;  // True if base is a host address (cudaMallocHost, cudaMallocManaged)
  bool adopted = false;       // True if the host owned the bytes before (cudaHostRegister)

  bool contains(uint64_t first, uint64_t past_end) const {
    return first >= base && past_end <= base + bytes && first <= past_end;
  }
};

enum class HostAccess { device_only, host_visible };

/// The memory of a simulated device. Every function is thread-safe.
class DeviceMemory {
 public:
  static constexpr uint32_t MOST_DEVICES = 16;

  DeviceMemory();
  /// The memory of a further device, number 1, 2, 3, ... All devices share the memory that the host sees too, and the
  /// numbers of allocations.
  DeviceMemory(DeviceMemory& first, uint32_t number);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Lets this device's kernels use the memory of another device, or no longer. Returns false if nothing changes.
  bool reach(uint32_t device, bool on);
  bool reaches(uint32_t device) const;

  /// Returns the device's memory in bytes. Allocations beyond it are refused.
  uint64_t total_bytes() const;
  uint64_t free_bytes() const;
  /// Enlarges the device, if needed, until this many bytes are free. For allocations that are hardly touched:
  /// they cost the host almost nothing.
  void offer_free(uint64_t bytes);

  /// Returns the address of a new allocation, or 0 if `bytes` is 0 or cannot be had. Its bytes are undefined: the
  /// first MiB holds 0xCD, and the operating system zeroes the rest on first touch.
  uint64_t allocate(uint64_t bytes, HostAccess access = HostAccess::device_only);

  /// Frees the allocation that starts at `base`. Returns false if none starts there or if it was freed before.
  bool release(uint64_t base);

  /// Makes a freed allocation live again, with undefined bytes. Returns false if none starts at `base`, or there is no memory. Not
  /// for one that the host sees.
  bool revive(uint64_t base);

  /// Lets the device use host memory in place. Returns false if the device already has a part of it, or if too
  /// much has been adopted. forget() gives the memory back to the host.
  bool adopt(void* host, uint64_t bytes);
  bool forget(void* host);

  /// Allocates for malloc in a kernel. The counters add up all heap allocations as one buffer, "heap". Returns 0
  /// if `bytes` is 0 or the heap would exceed its limit. Only release_from_heap frees such an allocation.
  uint64_t allocate_from_heap(uint64_t bytes);
  bool release_from_heap(uint64_t base);
  void release_heap();
  void set_heap_limit(uint64_t bytes);
  uint64_t heap_limit() const;

  /// Names the allocation around `address` for the counters ("A"). Returns false if there is none.
  bool set_name(uint64_t address, std::string name);
  /// Returns the name given, or "buffer 3" for the third allocation.
  std::string name_of(uint32_t allocation_id) const;

  /// Returns the live allocation that holds `address`, or nullptr if there is none that the device's kernels reach. The
  /// pointer is valid until the release.
  const Allocation* find(uint64_t address) const;

  /// Returns the host address of the bytes [address, address + bytes), or nullptr if they are not within one
  /// allocation.
  std::byte* host_pointer(uint64_t address, uint64_t bytes) const;

  /// A number that grows whenever memory that host code does not see may change: with host_pointer() and note_change(). All devices
  /// share it.
  uint64_t changes() const;
  /// For a launch that is about to run.
  void note_change() const;

  /// True if `address` is in a device's address range: in an allocation, a freed one or a red zone. Any other
  /// address belongs to the host.
  bool owns(uint64_t address) const;

  /// Returns the memory that `address` is in or next to, and its distance from the nearest allocation.
  AddressPlace place_of(uint64_t address) const;
  /// True if `address` is in a freed allocation.
  bool was_freed(uint64_t address) const;
  /// Returns the number of the device that has this address; nothing for an address that the host sees too.
  static std::optional<uint32_t> device_of(uint64_t address);

 private:
  struct Common;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace simulator
