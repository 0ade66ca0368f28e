// Finds out which process answers no more, when another has waited for too long.
#pragma once

#include <mpi.h>

#include <chrono>

namespace distributed {

/// A limit on the time in which nothing happens.
class Patience {
 public:
  explicit Patience(std::chrono::seconds limit) : limit_(limit) {}
  void begin() { begin_ = std::chrono::steady_clock::now(); }
  bool is_over() const { return std::chrono::steady_clock::now() - begin_ > limit_; }
  std::chrono::seconds limit() const { return limit_; }

 private:
  std::chrono::seconds limit_;
  std::chrono::steady_clock::time_point begin_{};
};

/// Every process that has waited for too long calls this. The process 0 waits a while for the others' calls, and throws std::runtime_error
/// that names those that did not call. Another process throws only if it is not ended by then, since the process 0 is silent.
[[noreturn]] void throw_with_silent_ranks(MPI_Comm world, std::chrono::seconds waited);

}  // namespace distributed
