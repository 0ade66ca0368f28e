// Host threads over a range of rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace runner {

/// Calls work(first, last) for pieces that together cover [0, count). Uses at most one thread for each core. Each piece
/// has at least `grain` rows, if there are so many. The pieces' order is not defined. Throws an exception of `work`
/// again after all pieces have ended.
inline void parallel_for(int64_t count, int64_t grain,
                         const std::function<void(int64_t first, int64_t last)>& work) {
  const auto cores = static_cast<int64_t>(std::max(1u, std::thread::hardware_concurrency()));
  const int64_t pieces = std::clamp<int64_t>(count / std::max<int64_t>(1, grain), 1, cores);
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto try_piece = [&](int64_t begin, int64_t end) {
    try {
      work(begin, end);
    } catch (...) {  // such as std::bad_alloc
      const std::lock_guard lock(mutex);
      thrown = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    int64_t first = count / pieces;  // the next row for a thread; this thread has the rows before
    try {
      for (int64_t i = 1; i < pieces; ++i) {
        const int64_t last = count * (i + 1) / pieces;
        threads.emplace_back(try_piece, first, last);
        first = last;
      }
      // NOLINTNEXTLINE(bugprone-empty-catch): no more threads, or no memory for one
    } catch (const std::exception&) {
    }
    try_piece(0, count / pieces);
    if (first < count) try_piece(first, count);
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace runner
