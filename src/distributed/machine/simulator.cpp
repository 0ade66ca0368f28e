#include "distributed/machine/facts_of_gpu.hpp"
#include "distributed/machine/machine.hpp"
#include "distributed/transport/mpi_transport.hpp"

namespace distributed {

const Carrier USUAL_CARRIER = Carrier::mpi;
const std::chrono::seconds USUAL_PATIENCE(3600);

const bool IS_SIMULATED = true;

int gpus_for(int processes) { return processes; }  // each process simulates one

void choose_gpu(int) {}

MachineFacts machine_facts() { return facts_of_gpu(); }

bool multiply_with_cublas(const LocalProduct&, cudaStream_t) { return false; }

std::unique_ptr<Transport> make_transport(Carrier, MPI_Comm world, const Grid& grid,
                                          std::chrono::seconds patience) {
  return std::make_unique<MpiTransport>(world, grid, patience);
}

}  // namespace distributed
