#include "lens/prices.hpp"

#include <algorithm>

namespace lens {
namespace {

constexpr uint32_t BANKS = 32;
constexpr uint32_t WORD_BYTES = 4;

constexpr uint32_t WHOLE_WARP = 0xffffffffu;

bool is_active(const WarpAddresses& addresses, int lane) {
  return (addresses.active >> lane & 1u) != 0;
}

// Returns the number of distinct values of (address / granule) over all granules that the active lanes touch.
uint32_t count_distinct(const WarpAddresses& addresses, uint32_t bytes, uint32_t granule) {
  std::array<uint64_t, size_t{LANES} * 2>
      touched;  // no access is wider than a granule; it may straddle two
  size_t count = 0;
  for (int lane = 0; lane < LANES; ++lane) {
    if (!is_active(addresses, lane)) continue;
    const uint64_t first = addresses.lane[static_cast<size_t>(lane)] / granule;
    const uint64_t last = (addresses.lane[static_cast<size_t>(lane)] + bytes - 1) / granule;
    for (uint64_t g = first; g <= last; ++g) touched[count++] = g;
  }
  const auto end = touched.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(touched.begin(), end);
  return static_cast<uint32_t>(std::unique(touched.begin(), end) - touched.begin());
}

// Returns the largest number of distinct words in any one bank, over the active lanes of `lanes`.
uint32_t busiest_bank(const WarpAddresses& addresses, uint32_t bytes, uint32_t lanes) {
  std::array<std::array<uint64_t, size_t{LANES} * 2>, BANKS> words;
  std::array<uint32_t, BANKS> count{};
  for (int lane = 0; lane < LANES; ++lane) {
    if ((addresses.active & lanes & 1u << lane) == 0) continue;
    const uint64_t address = addresses.lane[static_cast<size_t>(lane)];
    for (uint64_t word = address / WORD_BYTES; word <= (address + bytes - 1) / WORD_BYTES; ++word) {
      auto& in_bank = words[word % BANKS];
      auto& n = count[word % BANKS];
      if (std::find(in_bank.begin(), in_bank.begin() + n, word) == in_bank.begin() + n) {
        in_bank[n++] = word;
      }
    }
  }
  return *std::max_element(count.begin(), count.end());
}

// True if two neighbours' loads merge: the lanes that differ in one low bit of their number read one address.
bool can_merge(const WarpAddresses& addresses, uint32_t lanes) {
  for (const int x : {1, 2}) {
    bool all_agree = true;
    for (int lane = 0; lane < LANES; ++lane) {
      const int partner = lane ^ x;
      if ((lanes >> lane & 1u) == 0 || !is_active(addresses, lane)) continue;
      if (!is_active(addresses, partner)) continue;
      all_agree &=
          addresses.lane[static_cast<size_t>(lane)] == addresses.lane[static_cast<size_t>(partner)];
    }
    if (all_agree) return true;
  }
  return false;
}

// Adds the phases of `lanes`, with `lanes_per_phase` lanes each.
void add_phases(SharedCost& cost, const WarpAddresses& addresses, uint32_t bytes, uint32_t lanes,
                int lanes_per_phase) {
  const uint32_t piece = lanes_per_phase == LANES ? WHOLE_WARP : (1u << lanes_per_phase) - 1;
  for (int first = 0; first < LANES; first += lanes_per_phase) {
    const uint32_t phase = lanes & piece << first;
    if ((phase & addresses.active) == 0) continue;  // a phase without an active lane is skipped
    cost.wavefronts += busiest_bank(addresses, bytes, phase);
    cost.lanes[cost.phases] = phase & addresses.active;
    ++cost.phases;
  }
}

}  // namespace

uint32_t count_sectors(const WarpAddresses& addresses, uint32_t bytes) {
  return count_distinct(addresses, bytes, SECTOR_BYTES);
}

uint32_t count_lines(const WarpAddresses& addresses, uint32_t bytes) {
  return count_distinct(addresses, bytes, LINE_BYTES);
}

uint32_t count_distinct_bytes(const WarpAddresses& addresses, uint32_t bytes) {
  // Accesses are aligned to their width, so two lanes share all their bytes or none.
  return count_distinct(addresses, bytes, bytes) * bytes;
}

SharedCost shared_cost(const WarpAddresses& addresses, uint32_t bytes, SharedAccess access) {
  SharedCost cost;
  const bool may_merge = access == SharedAccess::load;
  if (access == SharedAccess::matrix_load) {
    add_phases(cost, addresses, bytes, WHOLE_WARP, LANES / 4);
  } else if (bytes <= WORD_BYTES) {
    add_phases(cost, addresses, bytes, WHOLE_WARP, LANES);
  } else if (bytes == 8) {
    const bool one_phase = may_merge && can_merge(addresses, WHOLE_WARP);
    add_phases(cost, addresses, bytes, WHOLE_WARP, one_phase ? LANES : LANES / 2);
  } else {
    for (const uint32_t half : {0x0000ffffu, 0xffff0000u}) {
      const bool one_phase = may_merge && can_merge(addresses, half);
      add_phases(cost, addresses, bytes, half, one_phase ? LANES / 2 : LANES / 4);
    }
  }
  return cost;
}

}  // namespace lens
