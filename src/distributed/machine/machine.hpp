// The GPUs of this build, and what carries messages between them.
#pragma once

#include <mpi.h>

#include <memory>

#include "distributed/layout/layout.hpp"
#include "distributed/transport/transport.hpp"

namespace distributed {

/// What moves data between the processes: NCCL from GPU to GPU, or MPI through the host's memory.
enum class Carrier { mpi, nccl };

/// NCCL for NVIDIA's GPUs, and MPI for simulated ones, which NCCL does not know.
extern const Carrier USUAL_CARRIER;

/// Returns how many GPUs this many processes of one machine find there.
int gpus_for(int processes);

/// Makes a GPU the current one.
void choose_gpu(int number);

/// Makes the transport of a carrier that this build has. All processes of the grid call it.
std::unique_ptr<Transport> make_transport(Carrier carrier, MPI_Comm world, const Grid& grid);

}  // namespace distributed
