#include "distributed/transport/mpi_transport.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "distributed/gpu/cuda.hpp"
#include "distributed/transport/planted.hpp"

namespace distributed {
namespace {

constexpr int64_t MOST_FLOATS = int64_t{1} << 28;  // of a call of MPI, which counts with an int

void check_mpi(int status) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw std::runtime_error("MPI: " + std::string(text, static_cast<size_t>(length)));
}

}  // namespace

MpiTransport::MpiTransport(MPI_Comm world, const Grid& grid, std::chrono::seconds patience)
    : world_(world), grid_(grid), patience_(patience) {
  check_mpi(MPI_Comm_rank(world, &rank_));
  check_mpi(MPI_Comm_split(world, grid.row_of(rank_), grid.col_of(rank_), &row_));
  check_mpi(MPI_Comm_split(world, grid.col_of(rank_), grid.row_of(rank_), &col_));
}

MpiTransport::~MpiTransport() {
  MPI_Comm_free(&row_);
  MPI_Comm_free(&col_);
}

void MpiTransport::deliver(std::span<const Message> messages, cudaStream_t stream) {
  fail_if_planted();
  auto owner = std::make_unique<std::vector<std::vector<float>>>(messages.size());
  std::vector<std::vector<float>>& on_host = *owner;
  for (size_t i = 0; i < messages.size(); ++i) {
    const Message& m = messages[i];
    if (m.sender != rank_ && !has(grid_, rank_, m.line)) continue;
    on_host[i].resize(static_cast<size_t>(m.floats));
    if (m.sender == rank_)
      check(cudaMemcpyAsync(on_host[i].data(), m.data, on_host[i].size() * sizeof(float),
                            cudaMemcpyDeviceToHost, stream));
  }
  check(cudaStreamSynchronize(stream));

  std::vector<MPI_Request> requests;
  for (size_t i = 0; i < messages.size(); ++i) {
    const Message& m = messages[i];
    const int sender_in_line = m.line.is_row ? grid_.col_of(m.sender) : grid_.row_of(m.sender);
    for (int64_t begin = 0; begin < m.floats; begin += MOST_FLOATS) {
      const int count = static_cast<int>(std::min(MOST_FLOATS, m.floats - begin));
      float* const data = on_host[i].data() + begin;
      if (has(grid_, m.sender, m.line)) {
        if (!has(grid_, rank_, m.line)) continue;
        check_mpi(MPI_Ibcast(data, count, MPI_FLOAT, sender_in_line, m.line.is_row ? row_ : col_,
                             &requests.emplace_back()));
      } else if (has(grid_, rank_, m.line)) {
        check_mpi(MPI_Irecv(data, count, MPI_FLOAT, m.sender, static_cast<int>(i), world_,
                            &requests.emplace_back()));
      } else if (m.sender == rank_) {
        for (const int receiver : ranks_of(grid_, m.line))
          check_mpi(MPI_Isend(data, count, MPI_FLOAT, receiver, static_cast<int>(i), world_,
                              &requests.emplace_back()));
      }
    }
  }
  try {
    wait_for(requests);
  } catch (...) {
    static_cast<void>(owner.release());  // MPI may still write there
    throw;
  }

  for (size_t i = 0; i < messages.size(); ++i) {
    const Message& m = messages[i];
    if (m.sender != rank_ && has(grid_, rank_, m.line))
      check(cudaMemcpyAsync(m.data, on_host[i].data(), on_host[i].size() * sizeof(float),
                            cudaMemcpyHostToDevice, stream));
  }
  check(cudaStreamSynchronize(stream));
}

void MpiTransport::wait_for(std::vector<MPI_Request>& requests) {
  constexpr std::chrono::microseconds PAUSE(20);
  int are_done = 0;
  for (patience_.begin(); are_done == 0;) {
    check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &are_done,
                          MPI_STATUSES_IGNORE));
    if (are_done != 0) return;
    if (patience_.is_over()) throw_with_silent_ranks(world_, patience_.limit());
    std::this_thread::sleep_for(PAUSE);
  }
}

void MpiTransport::wait(const Event& event) { event.wait(); }

}  // namespace distributed
