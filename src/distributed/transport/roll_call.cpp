#include "distributed/transport/roll_call.hpp"

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "distributed/transport/processes.hpp"

namespace distributed {
namespace {

constexpr int TAG = 32000;  // of no other message
constexpr std::chrono::seconds FOR_ANSWERS(3), FOR_THE_END(6);

std::string text_of(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  return text + (ranks.size() == 1 ? " does" : " do");
}

// Receives what the other processes send for some seconds. Returns those that sent nothing.
std::vector<int> silent_ranks(MPI_Comm world) {
  const int processes = size_of(world);
  std::vector<bool> has_answered(static_cast<size_t>(processes));
  has_answered[0] = true;
  Patience patience(FOR_ANSWERS);
  for (patience.begin(); !patience.is_over();
       std::this_thread::sleep_for(std::chrono::milliseconds(10))) {
    int is_there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG, world, &is_there, &status);
    if (is_there == 0) continue;
    MPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, TAG, world, MPI_STATUS_IGNORE);
    has_answered[static_cast<size_t>(status.MPI_SOURCE)] = true;
  }
  std::vector<int> silent;
  for (int rank = 0; rank < processes; ++rank)
    if (!has_answered[static_cast<size_t>(rank)]) silent.push_back(rank);
  return silent;
}

}  // namespace

void throw_with_silent_ranks(MPI_Comm world, std::chrono::seconds waited) {
  const int rank = rank_in(world);
  const std::string begin =
      "nothing has come for " + std::to_string(waited.count()) + " seconds, and ";
  if (rank != 0) {
    // Nobody waits for it, because a silent process may never receive it. NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker)
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(nullptr, 0, MPI_BYTE, 0, TAG, world, &request);
    MPI_Request_free(&request);
    std::this_thread::sleep_for(FOR_THE_END);
    throw std::runtime_error(begin + text_of({0}) + " not answer");
    // NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)
  }
  const std::vector<int> silent = silent_ranks(world);
  throw std::runtime_error(
      begin + (silent.empty() ? "all processes wait" : text_of(silent) + " not answer"));
}

}  // namespace distributed
