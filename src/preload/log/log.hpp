// The log of the calls: which there were, how many the ladder answered, and how long these took.
#pragma once

#include <cuda_runtime.h>

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>

#include "preload/choose/decision.hpp"
#include "preload/choose/request.hpp"

namespace preload {

/// Calls that the log counts together.
struct LoggedShape {
  const char* entry;  // a literal of this library: compared by its address
  int64_t m, n, k;
  bool transposes_a, transposes_b;
  int64_t batch;
  Verdict verdict;
  auto operator<=>(const LoggedShape&) const = default;
};

struct LoggedTotals {
  int64_t calls = 0;
  int64_t timed = 0;
  double ms = 0;  // that the timed calls took on the GPU
};

/// The log of this process. It is printed when the process ends. A forked child begins an empty one.
class Log {
 public:
  /// Returns the log, or nullptr if the user asked for none.
  static Log* of_process();

  /// Counts a call.
  void add(const char* entry, const Request& r, Verdict verdict);

  /// Times the launches on a request's stream between its construction and stop(). Without a log, and while the stream is captured, it
  /// does nothing.
  class Timer {
   public:
    Timer(const char* entry, const Request& r);
    ~Timer();
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    /// Ends the time of a call that was answered.
    void stop();

   private:
    Log* log_;
    LoggedShape shape_{};
    cudaStream_t stream_;
    cudaEvent_t begin_ = nullptr;
  };

 private:
  struct Pending {
    LoggedShape shape;
    cudaEvent_t begin, end;
  };

  Log();
  static void print_at_exit();
  void collect(size_t most_pending);
  void print();

  std::mutex mutex_;
  std::map<LoggedShape, LoggedTotals> totals_;
  std::deque<Pending> pending_;
};

}  // namespace preload
