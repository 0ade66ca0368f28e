// Moves data by MPI, through the host's memory.
#pragma once

#include <mpi.h>

#include <chrono>
#include <span>
#include <vector>

#include "distributed/layout/layout.hpp"
#include "distributed/transport/roll_call.hpp"
#include "distributed/transport/transport.hpp"

namespace distributed {

/// For the simulated GPU, and for machines without NCCL. A call waits until all messages have arrived.
class MpiTransport : public Transport {
 public:
  /// `world` has as many processes as the grid. A wait fails after `patience`.
  MpiTransport(MPI_Comm world, const Grid& grid, std::chrono::seconds patience);
  ~MpiTransport() override;
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  void deliver(std::span<const Message> messages, cudaStream_t stream) override;
  void wait(const Event& event) override;
  void abort() override {}

 private:
  void wait_for(std::vector<MPI_Request>& requests);

  const MPI_Comm world_;
  const Grid grid_;
  Patience patience_;
  int rank_ = 0;
  MPI_Comm row_ = MPI_COMM_NULL, col_ = MPI_COMM_NULL;
};

}  // namespace distributed
