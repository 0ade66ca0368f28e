// THE list of the numbers that are counted for memory accesses, and their sum.
#pragma once

#include <cstdint>

namespace simulator {

struct AccessCounts {
  uint64_t requests = 0;        // warp instructions
  uint64_t lanes = 0;           // active lanes over all requests
  uint64_t bytes_asked = 0;     // by all these lanes
  uint64_t bytes_used = 0;      // distinct bytes per request, summed (a broadcast uses 4)
  uint64_t sectors = 0;         // distinct 32-byte sectors per request, summed; 0 in shared memory
  uint64_t lines = 0;           // distinct 128-byte lines per request, summed; 0 in shared memory
  uint64_t wavefronts = 0;      // shared memory: passes over the banks
  uint64_t bank_conflicts = 0;  // shared memory: wavefronts above the minimum

  uint64_t bytes_fetched() const { return sectors * 32; }  // 0 in shared memory
  void add(const AccessCounts& more, uint64_t times = 1) {
    requests += times * more.requests;
    lanes += times * more.lanes;
    bytes_asked += times * more.bytes_asked;
    bytes_used += times * more.bytes_used;
    sectors += times * more.sectors;
    lines += times * more.lines;
    wavefronts += times * more.wavefronts;
    bank_conflicts += times * more.bank_conflicts;
  }
  bool operator==(const AccessCounts&) const = default;
};

}  // namespace simulator
