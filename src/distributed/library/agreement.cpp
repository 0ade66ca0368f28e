#include "distributed/library/agreement.hpp"

#include <algorithm>
#include <string>
#include <thread>

#include "distributed/transport/roll_call.hpp"

namespace distributed {
namespace {

// A process that has failed waits for longer: the others may find out only after their patience, and a roll call.
constexpr std::chrono::seconds FOR_A_ROLL_CALL(10);

void check_mpi(int status) {
  if (status == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  throw Failure(SGEMM_LADDER_COMMUNICATION_ERROR, std::string("MPI: ") + text.data());
}

}  // namespace

Agreement::Agreement(MPI_Comm comm, std::chrono::seconds patience)
    : comm_(comm), patience_(patience), question_(new Question) {
  check_mpi(MPI_Comm_rank(comm, &rank_));
  check_mpi(MPI_Comm_size(comm, &size_));
}

Agreement::~Agreement() {
  if (!is_over_) delete question_;
}

std::optional<FailureOfRank> Agreement::first_failure(const std::optional<Failure>& mine,
                                                      Limit limit) {
  if (is_over_) {
    if (mine) return FailureOfRank{rank_, *mine};
    throw Failure(SGEMM_LADDER_COMMUNICATION_ERROR, "the processes do not answer each other");
  }
  is_over_ = true;  // until there is an answer
  const std::chrono::seconds patience = mine ? patience_ + FOR_A_ROLL_CALL : patience_;
  const auto give_up = [&] {
    if (mine) return FailureOfRank{rank_, *mine};
    throw Failure(SGEMM_LADDER_COMMUNICATION_ERROR, "a process has not answered for " +
                                                        std::to_string(patience.count()) +
                                                        " seconds whether it goes on");
  };
  Question& q = *question_;
  q.mine = mine ? rank_ : size_;
  check_mpi(MPI_Iallreduce(&q.mine, &q.first, 1, MPI_INT, MPI_MIN, comm_, &q.asked));
  if (!wait(q.asked, limit, patience)) return give_up();
  if (q.first == size_) {
    is_over_ = false;
    return std::nullopt;
  }
  if (mine && q.first == rank_) {
    const std::string text = mine->what();
    q.told = {mine->status(), {}};
    std::copy_n(text.begin(), std::min(text.size(), q.told.text.size() - 1), q.told.text.begin());
  }
  check_mpi(MPI_Ibcast(&q.told, sizeof q.told, MPI_BYTE, q.first, comm_, &q.answered));
  if (!wait(q.answered, limit, patience)) return give_up();
  is_over_ = false;
  return FailureOfRank{q.first, {q.told.status, q.told.text.data()}};
}

bool Agreement::wait(MPI_Request& request, Limit limit, std::chrono::seconds patience) {
  constexpr std::chrono::microseconds PAUSE(20);
  Patience waiting(patience);
  waiting.begin();
  while (true) {
    int is_done = 0;
    check_mpi(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE));
    if (is_done != 0) return true;
    if (limit == Limit::patience && waiting.is_over()) return false;
    std::this_thread::sleep_for(PAUSE);
  }
}

void Agreement::bring_first(std::span<int64_t> numbers) {
  check_mpi(MPI_Bcast(numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, 0, comm_));
}

}  // namespace distributed
