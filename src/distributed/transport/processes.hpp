// This process among others.
#pragma once

#include <mpi.h>

#include <array>
#include <string>

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

/// Returns the name of this process's machine.
inline std::string host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return {name.data(), static_cast<size_t>(length)};
}

}  // namespace distributed
