// The program's allocations.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <unordered_map>

namespace simulator::runtime {

/// How an allocation was made, which decides how it may be freed.
enum class Origin { device, pinned, managed };

struct Made {
  Origin origin = Origin::device;
  uint64_t bytes = 0;
};

/// The live allocations of a device by their first byte. Variables of modules are not among them.
struct Allocations {
  std::mutex mutex;
  std::unordered_map<uint64_t, Made> made;
  std::set<uint64_t> reset;  // what cudaDeviceReset freed: a destructor may come after it
};

/// Frees all that the program allocated and has not freed.
void free_everything();

}  // namespace simulator::runtime
