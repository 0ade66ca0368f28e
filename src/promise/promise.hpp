// A kernel's promise about its memory behaviour, in counters. Kernels, labs and exercises make promises. This header
// knows neither the counting nor the judging. Every kernel compiles it, so it includes nothing large: <vector> and
// <string_view> would take a quarter of the time of a small kernel.
#pragma once

#include <cstdint>

namespace device {

enum class Relation { equal, at_most, at_least };

/// One claim: "load_sectors_per_request of A is equal to 1".
struct Claim {
  const char* counter;  // the key of a metric (results/values/metrics.cpp has the list)
  const char* buffer;   // the name of the buffer that the accesses go to; "" for all of the launch
  Relation relation;
  double value;
};

/// A rung's claims on its own memory traffic. A promise documents the rung; the runner prints whether it
/// was kept, and the tests assert it. It covers shapes whose M, N and K are multiples of `whole_tiles`,
/// with dense matrices at 256-byte-aligned addresses and beta = 0. If `uniform_data_only` is true, it
/// covers uniform data only, because the kernel's path depends on the numbers. For other problems it
/// claims nothing.
/// `whole_tiles` is the least power of two with which the promise is kept; it may be less than the
/// kernel's tile.
struct Promise {
  int64_t whole_tiles;
  Claim claims[8];  // they end at the first claim without a counter
  bool uniform_data_only = false;

  constexpr const Claim* begin() const { return claims; }
  constexpr const Claim* end() const {
    const Claim* claim = claims;
    while (claim != claims + 8 && claim->counter != nullptr) ++claim;
    return claim;
  }
  constexpr bool empty() const { return begin() == end(); }
};

}  // namespace device
