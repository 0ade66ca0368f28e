// This process among others.
#pragma once

#include <mpi.h>

namespace distributed {

/// Returns this process's rank in a communicator.
inline int rank_in(MPI_Comm processes) {
  int rank = 0;
  MPI_Comm_rank(processes, &rank);
  return rank;
}

/// Returns how many processes a communicator has.
inline int size_of(MPI_Comm processes) {
  int size = 0;
  MPI_Comm_size(processes, &size);
  return size;
}

}  // namespace distributed
