// Host threads over a range of rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <system_error>
#include <thread>
#include <vector>

namespace runner {

/// Calls work(first, last) for pieces that together cover [0, count), on as many threads as the machine has
/// cores when there is more than `grain` in a piece. The pieces' order is not defined. `work` must not throw.
inline void parallel_for(int64_t count, int64_t grain,
                         const std::function<void(int64_t first, int64_t last)>& work) {
  const auto cores = static_cast<int64_t>(std::max(1u, std::thread::hardware_concurrency()));
  const int64_t pieces = std::clamp<int64_t>(count / std::max<int64_t>(1, grain), 1, cores);
  std::vector<std::jthread> threads;
  int64_t first = count / pieces;  // of what no thread has been given, behind this one's own piece
  try {
    for (int64_t i = 1; i < pieces; ++i) {
      const int64_t last = count * (i + 1) / pieces;
      threads.emplace_back(work, first, last);
      first = last;
    }
  } catch (const std::system_error&) {  // no more threads are to be had
  }
  work(0, count / pieces);
  if (first < count) work(first, count);
}

}  // namespace runner
