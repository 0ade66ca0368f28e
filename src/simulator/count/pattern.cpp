#include "simulator/count/pattern.hpp"

#include <algorithm>
#include <bit>

#include "lens/prices.hpp"

namespace simulator {
namespace {

using lens::SharedAccess;
using lens::WarpAddresses;

constexpr uint32_t ALL_LANES = 0xffffffffu;
// Limits the memory, because a gather may never repeat a pattern.
constexpr size_t REMEMBERED_PATTERNS = 4096;

// Returns the addresses in .local memory, which is interleaved by the word: lanes at one offset are neighbours.
WarpAddresses interleave_local(const WarpAddresses& addresses, uint32_t word) {
  WarpAddresses interleaved = addresses;
  for (uint64_t lane = 0; lane < WARP; ++lane) {
    interleaved.lane[lane] = (addresses.lane[lane] / 4 + word) * (uint64_t{4} * WARP) + 4 * lane;
  }
  return interleaved;
}

void price_shared(Pattern& p, const WarpAddresses& addresses) {
  const auto kind = p.access == Access::shared_load   ? SharedAccess::load
                    : p.access == Access::matrix_load ? SharedAccess::matrix_load
                                                      : SharedAccess::store;
  const lens::SharedCost cost = shared_cost(addresses, p.bytes, kind);
  p.cost.wavefronts = cost.wavefronts;
  p.cost.bank_conflicts = cost.bank_conflicts();
  p.phases = cost.lanes;
  p.cost.bytes_used = count_distinct_bytes(addresses, p.bytes);
}

void price_local(Pattern& p, const WarpAddresses& addresses) {
  for (uint32_t word = 0; word < std::max(1u, p.bytes / 4); ++word) {
    const WarpAddresses words = interleave_local(addresses, word);
    p.cost.sectors += count_sectors(words, std::min(4u, p.bytes));
    p.cost.lines += count_lines(words, std::min(4u, p.bytes));
  }
  p.cost.bytes_used = p.cost.bytes_asked;
}

void price(Pattern& p, const WarpAddresses& addresses) {
  if (is_shared(p.access)) return price_shared(p, addresses);
  if (is_local(p.access)) return price_local(p, addresses);
  p.cost.sectors = count_sectors(addresses, p.bytes);
  p.cost.lines = count_lines(addresses, p.bytes);
  p.cost.bytes_used = count_distinct_bytes(addresses, p.bytes);
}

Pattern::Shape shape_of(const Pattern& p) {
  bool contiguous = p.active == ALL_LANES;
  bool uniform = true;
  for (int64_t lane = 0; lane < WARP; ++lane) {
    const int64_t distance = p.distance[static_cast<size_t>(lane)];
    contiguous &= distance == lane * p.bytes;
    uniform &= distance == 0;  // inactive lanes also hold 0
  }
  if (contiguous) return Pattern::Shape::contiguous;
  return uniform ? Pattern::Shape::uniform : Pattern::Shape::scattered;
}

uint64_t hash_of(const Pattern& p) {
  constexpr uint64_t GOLDEN = 0x9e3779b97f4a7c15u;
  uint64_t hash = p.active * GOLDEN + p.phase * uint64_t{131} + p.bytes * uint64_t{31} +
                  static_cast<uint64_t>(p.access);
  for (const int64_t distance : p.distance) {
    hash = (hash ^ static_cast<uint64_t>(distance)) * GOLDEN;
    hash ^= hash >> 29;
  }
  return hash;
}

bool same(const Pattern& a, const Pattern& b) {
  return a.active == b.active && a.phase == b.phase && a.bytes == b.bytes && a.access == b.access &&
         a.distance == b.distance;
}

}  // namespace

const Pattern& PatternBook::find(const AccessKind& kind, const std::array<int64_t, WARP>& distance,
                                 uint64_t first, uint32_t active, bool* kept) {
  Pattern p;
  p.active = active;
  p.phase = phase_of(kind.access, first);
  p.bytes = kind.bytes;
  p.access = kind.access;
  for (uint32_t rest = active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    p.distance[lane] = distance[lane];
  }
  const uint64_t hash = hash_of(p);
  *kept = true;
  const auto [begin, end] = patterns_.equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    if (same(*known->second, p)) return *known->second;
  }

  p.first_lane = std::countr_zero(active);
  p.cost.requests = 1;
  p.cost.lanes = static_cast<uint64_t>(std::popcount(active));
  p.cost.bytes_asked = p.cost.lanes * p.bytes;
  p.shape = shape_of(p);
  p.highest = p.bytes;
  p.aligned = true;
  WarpAddresses addresses{{}, active};
  for (uint32_t rest = active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    p.lowest = std::min(p.lowest, p.distance[lane]);
    p.highest = std::max(p.highest, p.distance[lane] + p.bytes);
    p.aligned &= p.distance[lane] % static_cast<int64_t>(p.bytes) == 0;
    addresses.lane[lane] = first + static_cast<uint64_t>(p.distance[lane]);
  }
  const bool priced = p.aligned && first % p.bytes == 0;  // otherwise the access is a fault
  if (priced) price(p, addresses);
  *kept = priced && patterns_.size() < REMEMBERED_PATTERNS;
  if (!*kept) return scratch_ = p;
  return *patterns_.emplace(hash, std::make_unique<Pattern>(p))->second;
}

}  // namespace simulator
