// Moves data from GPU to GPU by NCCL.
#pragma once

#include <mpi.h>
#include <nccl.h>

#include <chrono>
#include <functional>
#include <span>

#include "distributed/layout/layout.hpp"
#include "distributed/transport/roll_call.hpp"
#include "distributed/transport/transport.hpp"

namespace distributed {

/// The messages of a call are one group of NCCL's: broadcasts along rows and columns of the grid, and transfers from process to process
/// where the sender is not in the line.
class NcclTransport : public Transport {
 public:
  /// `world` has as many processes as the grid. The processes meet by MPI. Each has its GPU as the current device. A
  /// wait fails after `patience`.
  NcclTransport(MPI_Comm world, const Grid& grid, std::chrono::seconds patience);
  ~NcclTransport() override;
  NcclTransport(const NcclTransport&) = delete;
  NcclTransport& operator=(const NcclTransport&) = delete;

  void deliver(std::span<const Message> messages, cudaStream_t stream) override;
  void wait(const Event& event) override;
  void abort() override;

 private:
  void deliver(const Message& message, cudaStream_t stream) const;
  void wait_until_ready();
  void wait_while(const std::function<bool()>& is_waiting);
  // True while NCCL works on a call. Throws std::runtime_error if one has failed.
  bool is_busy() const;

  const MPI_Comm mpi_;
  const Grid grid_;
  Patience patience_;
  int rank_ = 0;
  ncclComm_t world_ = nullptr, row_ = nullptr, col_ = nullptr;
};

}  // namespace distributed
