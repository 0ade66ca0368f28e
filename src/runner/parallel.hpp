// Host threads over a range of rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
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
  for (int64_t i = 1; i < pieces; ++i) {
    threads.emplace_back(work, count * i / pieces, count * (i + 1) / pieces);
  }
  work(0, count / pieces);
}

}  // namespace runner
