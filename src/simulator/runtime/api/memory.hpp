// The program's allocations.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <unordered_map>

namespace simulator::runtime {

/// The function family that made an allocation. It decides how the allocation may be freed.
enum class Origin { device, pinned, managed };

struct Made {
  Origin origin = Origin::device;
  uint64_t bytes = 0;
};

/// A device's live allocations by their first byte, without variables of modules.
struct Allocations {
  std::mutex mutex;
  std::unordered_map<uint64_t, Made> made;
  std::set<uint64_t> reset;  // freed by cudaDeviceReset: a destructor may free it again
};

/// Frees all allocations of the program that are still live.
void free_everything();

}  // namespace simulator::runtime
