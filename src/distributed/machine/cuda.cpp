#include "distributed/gpu/cuda.hpp"
#include "distributed/machine/machine.hpp"
#include "distributed/transport/mpi_transport.hpp"
#include "distributed/transport/nccl_transport.hpp"

namespace distributed {

const Carrier USUAL_CARRIER = Carrier::nccl;

int gpus_for(int) {
  int gpus = 0;
  return cudaGetDeviceCount(&gpus) == cudaSuccess ? gpus : 0;
}

void choose_gpu(int number) { check(cudaSetDevice(number)); }

std::unique_ptr<Transport> make_transport(Carrier carrier, MPI_Comm world, const Grid& grid) {
  if (carrier == Carrier::nccl) return std::make_unique<NcclTransport>(world, grid);
  return std::make_unique<MpiTransport>(world, grid);
}

}  // namespace distributed
