// cooperative_groups::inclusive_scan and exclusive_scan over a tile or a coalesced group.
#pragma once
#pragma GCC system_header

#if defined(__CUDA__)

#include "reduce.h"

namespace cooperative_groups {

/// Applies `operation` to the values of this thread and all threads of lower rank.
template <typename Group, typename T, typename Operation>
__simulator_device T inclusive_scan(const Group& group, T value, Operation operation) {
  const unsigned int rank = static_cast<unsigned int>(group.thread_rank());
  for (unsigned int by = 1; by < group.size(); by *= 2) {
    const T below = group.shfl_up(value, by);
    if (rank >= by) value = operation(below, value);
  }
  return value;
}
template <typename Group, typename T>
__simulator_device T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}

/// Applies `operation` to the values of threads of lower rank alone. Rank 0 gets a value-initialised T.
template <typename Group, typename T, typename Operation>
__simulator_device T exclusive_scan(const Group& group, T value, Operation operation) {
  const T below = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T() : below;
}
template <typename Group, typename T>
__simulator_device T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups

#endif
