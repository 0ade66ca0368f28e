// What a kernel promises of its own memory behaviour, in counters. Kernels, labs and exercises make promises;
// who counts and who judges is not known here.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace device {

enum class Relation { equal, at_most, at_least };

/// One claim: "load_sectors_per_request of A is equal to 1".
struct Claim {
  const char* counter;  // the key of a metric (results/values/metrics.cpp has the list)
  const char* buffer;   // the name of the buffer that the accesses go to; "" for all of the launch
  Relation relation;
  double value;
};

/// Whether a claim says anything: one that every kernel keeps, whatever it does, promises nothing.
constexpr bool can_be_broken(const Claim& claim) {
  struct Range {
    std::string_view counter;
    double least, most;  // that a kernel can bring about
  };
  constexpr double NO_END = std::numeric_limits<double>::infinity();
  constexpr Range RANGES[] = {
      {"load_sectors_per_request", 1, 32},  // a lane's access lies in one sector
      {"store_sectors_per_request", 1, 32},
      {"load_bytes_per_lane", 1, 32},
      {"async_copy_share", 0, 1},
  };
  Range range{claim.counter, 0, NO_END};  // nothing that is counted is below 0
  for (const Range& known : RANGES) {
    if (known.counter == range.counter) range = known;
  }
  switch (claim.relation) {
    case Relation::equal:
      return true;
    case Relation::at_most:
      return claim.value < range.most;
    case Relation::at_least:
      return claim.value > range.least;
  }
  return false;
}

/// What a rung says of its own memory behaviour. It is documentation, the runner prints whether it
/// was kept, and the tests assert it. It speaks of shapes whose M, N and K are multiples of
/// `whole_tiles`, with matrices laid out densely at 256-byte-aligned addresses and beta = 0; elsewhere
/// it claims nothing. `whole_tiles` is the least power of two with which it is kept, which may be less
/// than the kernel's tile.
struct Promise {
  int64_t whole_tiles;
  std::vector<Claim> claims;
};

}  // namespace device
