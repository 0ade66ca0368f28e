// Address patterns, each priced once.
//
// Kernels repeat few patterns very often. A pattern holds a warp access's addresses relative to its first active
// lane. The book keeps the patterns met so far, so the price of an access is found by comparing, not by counting.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "simulator/count/access.hpp"
#include "simulator/count/access_counts.hpp"

namespace simulator {

/// The addresses of one warp access relative to its first active lane, and the access's cost.
struct Pattern {
  enum class Shape { scattered, contiguous, uniform };

  /// Each lane's address minus the first active lane's; 0 in inactive lanes.
  alignas(64) std::array<int64_t, WARP> distance{};
  uint32_t active = 0;
  uint32_t phase = 0;  // the first address modulo 128, if it matters; else 0
  uint32_t bytes = 0;  // per lane
  Access access{};

  int first_lane = 0;
  Shape shape = Shape::scattered;
  bool aligned = false;  // True if the distances are multiples of the width
  // The bytes touched, relative to the first lane's address: [lowest, highest).
  int64_t lowest = 0;
  int64_t highest = 0;
  AccessCounts cost;                 // of one request
  std::array<uint32_t, 4> phases{};  // in shared memory: the lanes of each phase
};

/// A memory instruction as the counters see it: its width and its path.
struct AccessKind {
  Access access{};
  uint32_t bytes = 0;  // per lane
};

/// Returns the offset of the first lane's address in its 128-byte line. Returns 0 for shared and local memory:
/// their banks repeat every 128 bytes, and a shift only rotates them.
constexpr uint32_t phase_of(Access access, uint64_t first) {
  return is_shared(access) || is_local(access) ? 0 : static_cast<uint32_t>(first % 128);
}

/// The patterns that one host thread has met.
class PatternBook {
 public:
  /// Returns the priced pattern of these addresses. `distance` is relative to `first`, the first active lane's
  /// address. A misaligned access has no price. The reference is valid for the book's lifetime if `*kept`, else
  /// until the next call.
  const Pattern& find(const AccessKind& kind, const std::array<int64_t, WARP>& distance,
                      uint64_t first, uint32_t active, bool* kept);

 private:
  std::unordered_multimap<uint64_t, std::unique_ptr<Pattern>> patterns_;
  Pattern scratch_;
};

}  // namespace simulator
