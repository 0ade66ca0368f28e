// Tells claims that a kernel can break from claims that every kernel keeps.
#pragma once

#include <limits>
#include <string_view>

#include "promise/promise.hpp"

namespace device {

/// True if a kernel can break the claim. A claim that every kernel keeps promises nothing.
constexpr bool can_be_broken(const Claim& claim) {
  struct Range {
    std::string_view counter;
    double least, most;  // the range of figures that kernels can reach
  };
  constexpr double NO_END = std::numeric_limits<double>::infinity();
  constexpr Range RANGES[] = {
      {"load_sectors_per_request", 1, 32},  // a lane's access lies in one sector
      {"store_sectors_per_request", 1, 32},
      {"load_bytes_per_lane", 1, 32},
      {"async_copy_share", 0, 1},
  };
  Range range{claim.counter, 0, NO_END};  // no count is below 0
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

}  // namespace device
