// The GPUs of this build, and what carries messages between them.
#pragma once

#include <cuda_runtime.h>
#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "distributed/gpu/local_product.hpp"
#include "distributed/layout/layout.hpp"
#include "distributed/transport/transport.hpp"

namespace distributed {

/// What moves data between the processes: NCCL from GPU to GPU, or MPI through the host's memory.
enum class Carrier { mpi, nccl };

/// NCCL for NVIDIA's GPUs, and MPI for simulated ones, which NCCL does not know.
extern const Carrier USUAL_CARRIER;

/// How long messages may take. A simulated GPU is slow, so that one process may wait for another for long.
extern const std::chrono::seconds USUAL_PATIENCE;

/// True if the GPUs of this build are simulated.
extern const bool IS_SIMULATED;

/// Returns how many GPUs this many processes of one machine find there.
int gpus_for(int processes);

/// Makes a GPU the current one.
void choose_gpu(int number);

/// What describes this process's GPU and this build.
struct MachineFacts {
  std::string device, device_detail;  // "NVIDIA H200", "sm_90"
  int multiprocessors = 0;
  int64_t memory_bytes = 0;
  std::string cuda, driver, cublas;  // versions; empty: there is none
};
MachineFacts machine_facts();

/// Computes a product with cuBLAS, in FP32. Returns false if this build has no cuBLAS. Throws std::runtime_error.
bool multiply_with_cublas(const LocalProduct& product, cudaStream_t stream);

/// Makes the transport of a carrier that this build has. All processes of the grid call it. It waits at most
/// `patience` for a message.
std::unique_ptr<Transport> make_transport(Carrier carrier, MPI_Comm world, const Grid& grid,
                                          std::chrono::seconds patience = USUAL_PATIENCE);

}  // namespace distributed
