#include "distributed/run/cublasmp.hpp"

namespace distributed {

std::vector<double> time_cublasmp(const Product&, const Grid&, int, MPI_Comm) { return {}; }

}  // namespace distributed
