// Device memory of the simulated GPU: allocations that know their bounds and their names.
//
// A device address is a number from a range of its own that is never handed out twice, so host code
// that dereferences a device pointer crashes as it does with a GPU, and a freed address stays
// recognisable. Every allocation is 256-byte aligned, as cudaMalloc's are; the gap up to the next one
// is a red zone that belongs to nobody.
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
  uint64_t bytes = 0;         // what was asked for; the byte after the last is out of bounds
  std::byte* host = nullptr;  // where the bytes really lie
  uint32_t id = 0;            // 1, 2, 3 ... in the order of allocation
  bool live = true;
  bool host_visible = false;  // base is the host's own address (cudaMallocHost, cudaMallocManaged)
  bool adopted = false;       // and the bytes were the host's before (cudaHostRegister)

  bool contains(uint64_t first, uint64_t past_end) const {
    return first >= base && past_end <= base + bytes && first <= past_end;
  }
};

enum class HostAccess { device_only, host_visible };

/// The memory of a simulated device. All functions may be called from any host thread.
class DeviceMemory {
 public:
  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Bytes the simulated device has in all; more than that is refused.
  uint64_t total_bytes() const;
  uint64_t free_bytes() const;
  /// Makes the device larger, if need be, until so much of it is free: for allocations that are hardly touched, which
  /// cost the host next to nothing.
  void offer_free(uint64_t bytes);

  /// A new allocation, or 0 when `bytes` is 0 or cannot be had. Its bytes are undefined: the first MiB holds
  /// 0xCD, what lies beyond is zeroed by the operating system when it is first touched.
  uint64_t allocate(uint64_t bytes, HostAccess access = HostAccess::device_only);

  /// Frees the allocation that starts at `base`. False if none starts there or it was freed before.
  bool release(uint64_t base);

  /// Lets the device use memory of the host's own, where it lies. False if a part of it is the device's
  /// already, or too much has been adopted. It is given up by forget(), and then is the host's again.
  bool adopt(void* host, uint64_t bytes);
  bool forget(void* host);

  /// What malloc in a kernel gives: an allocation of its own, counted as the "heap" with all others of its
  /// kind; 0 when `bytes` is 0 or the heap would be larger than it may be. Freed by release_from_heap alone.
  uint64_t allocate_from_heap(uint64_t bytes);
  bool release_from_heap(uint64_t base);
  void release_heap();
  void set_heap_limit(uint64_t bytes);
  uint64_t heap_limit() const;

  /// Gives the allocation around `address` a name for the counters ("A"). False if there is none.
  bool set_name(uint64_t address, std::string name);
  /// The name given, or "buffer 3" for the third allocation.
  std::string name_of(uint32_t allocation_id) const;

  /// The live allocation that holds `address`, or nullptr. Stays valid until it is released.
  const Allocation* find(uint64_t address) const;

  /// Where the bytes [address, address + bytes) lie on the host, or nullptr if not within one allocation.
  std::byte* host_pointer(uint64_t address, uint64_t bytes) const;

  /// True if `address` lies where allocations are made: in one, in a freed one, or in a red zone. Any other
  /// address is the host's own.
  bool owns(uint64_t address) const;

  /// Which memory `address` is in, or would be in if there were some, and its distance from the nearest allocation.
  AddressPlace place_of(uint64_t address) const;
  /// True if `address` lies in an allocation that has been freed.
  bool was_freed(uint64_t address) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace simulator
