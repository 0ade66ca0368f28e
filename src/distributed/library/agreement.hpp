// The processes of a grid agree whether they go on.
#pragma once

#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "distributed/library/failure.hpp"

namespace distributed {

/// A failure, and the process that has it.
struct FailureOfRank {
  int rank;
  Failure failure;
};

/// Questions that all processes answer. Every process asks the same ones in the same order.
class Agreement {
 public:
  /// A question with a limit waits for at most `patience`.
  Agreement(MPI_Comm comm, std::chrono::seconds patience);
  ~Agreement();
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;

  enum class Limit { none, patience };

  /// Asks whether a process has failed. Returns the failure of the lowest rank that has. If the others do not answer in time, returns this
  /// process's failure, or throws one.
  std::optional<FailureOfRank> first_failure(const std::optional<Failure>& mine, Limit limit);

  /// Puts the numbers of rank 0 there. Waits without a limit.
  void bring_first(std::span<int64_t> numbers);

 private:
  // A failure as it travels.
  struct Told {
    int status = 0;
    std::array<char, 480> text{};
  };
  // The memory of a question.
  struct Question {
    int mine = 0, first = 0;
    Told told;
    MPI_Request asked = MPI_REQUEST_NULL, answered = MPI_REQUEST_NULL;
  };
  // Returns false if the others do not answer in time.
  static bool wait(MPI_Request& request, Limit limit, std::chrono::seconds patience);

  const MPI_Comm comm_;
  const std::chrono::seconds patience_;
  int rank_ = 0, size_ = 1;
  Question* const
      question_;          // stays if there is no answer: MPI may write there for as long as it runs
  bool is_over_ = false;  // a question has no answer, so no other one can be asked
};

}  // namespace distributed
