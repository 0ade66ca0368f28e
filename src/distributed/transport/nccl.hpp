// NCCL's errors as exceptions, and the number by which processes meet.
#pragma once

#include <mpi.h>
#include <nccl.h>

#include <stdexcept>
#include <string>

#include "distributed/transport/processes.hpp"

namespace distributed {

/// Throws std::runtime_error if a call has failed. One that still goes on has not.
inline void check_nccl(ncclResult_t result) {
  if (result == ncclSuccess || result == ncclInProgress) return;
  throw std::runtime_error(std::string("NCCL: ") + ncclGetErrorString(result) + ": " +
                           ncclGetLastError(nullptr));
}

/// Returns a new number, the same on all processes of `world`, which all call it.
inline ncclUniqueId common_id(MPI_Comm world) {
  ncclUniqueId id{};
  if (rank_in(world) == 0) check_nccl(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, world);
  return id;
}

}  // namespace distributed
