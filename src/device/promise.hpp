// What a kernel promises of its own memory behaviour, in counters. Kernels, labs and exercises make promises;
// who counts and who judges is not known here.
#pragma once

#include <cstdint>
#include <vector>

namespace device {

enum class Relation { equal, at_most, at_least };

/// One claim: "load_sectors_per_request of A is equal to 1".
struct Claim {
  const char* counter;  // the key of a metric (results/metrics.cpp has the list)
  const char* buffer;   // the name of the buffer that the accesses go to; "" for all of the launch
  Relation relation;
  double value;
};

/// What a rung says of its own memory behaviour. It is documentation, the runner prints whether it
/// was kept, and the tests assert it. It speaks of shapes whose M, N and K are multiples of
/// `whole_tiles`, with matrices laid out densely at 256-byte-aligned addresses and beta = 0; elsewhere
/// it claims nothing.
struct Promise {
  int64_t whole_tiles;
  std::vector<Claim> claims;
};

}  // namespace device
