// Patterns of addresses, each priced once.
//
// Kernels repeat few patterns very often. A pattern is a warp access seen from its first active lane; the
// book keeps those that have been met, so that the price of an access is found by comparing, not by counting.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "simulator/count/access.hpp"
#include "simulator/count/access_counts.hpp"

namespace simulator {

/// The addresses of one warp access, seen from its first active lane, and what such an access costs.
struct Pattern {
  enum class Shape { scattered, contiguous, uniform };

  /// Of each lane's address from the first active lane's; 0 in inactive lanes.
  alignas(64) std::array<int64_t, WARP> distance{};
  uint32_t active = 0;
  uint32_t phase = 0;  // the first address modulo a line, where that matters
  uint32_t bytes = 0;  // per lane
  Access access{};

  int first_lane = 0;
  Shape shape = Shape::scattered;
  bool aligned = false;  // the distances are multiples of the width
  int64_t lowest = 0;    // the bytes touched, from the first lane's address: [lowest, highest)
  int64_t highest = 0;
  AccessCounts cost;                 // of one request
  std::array<uint32_t, 4> phases{};  // in shared memory: the lanes that are served together
};

/// What a memory instruction is to the counters: how wide, and by which path.
struct AccessKind {
  Access access{};
  uint32_t bytes = 0;  // per lane
};

/// Where in its 128-byte line the first lane's address stands. Banks repeat every 128 bytes and a shift
/// rotates them, so in shared memory, and likewise in local, it makes no difference.
constexpr uint32_t phase_of(Access access, uint64_t first) {
  return is_shared(access) || is_local(access) ? 0 : static_cast<uint32_t>(first % 128);
}

/// The patterns that one host thread has met.
class PatternBook {
 public:
  /// The pattern of these addresses, priced. `distance` is relative to `first`, the first active lane's
  /// address. Where the access is misaligned there is no price. The reference stays good while the book lives
  /// if `*kept`, else until the next call.
  const Pattern& find(const AccessKind& kind, const std::array<int64_t, WARP>& distance,
                      uint64_t first, uint32_t active, bool* kept);

 private:
  std::unordered_multimap<uint64_t, std::unique_ptr<Pattern>> patterns_;
  Pattern scratch_;
};

}  // namespace simulator
