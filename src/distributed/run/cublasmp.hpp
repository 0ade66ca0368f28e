// cuBLASMp, the reference on many GPUs where it is installed, as cuBLAS is on one.
#pragma once

#include <mpi.h>

#include <vector>

#include "distributed/product/product.hpp"

namespace distributed {

/// Computes the product with cuBLASMp in FP32 on the same grid, blocks and matrices, and overwrites C. Returns the seconds of the slowest
/// process for each repetition, after one that is not counted. All processes of the grid call it. Returns nothing if this build has no
/// cuBLASMp, or if its workspace does not fit into the memory of a GPU. Throws std::runtime_error.
std::vector<double> time_cublasmp(const Product& product, const Grid& grid, int repetitions,
                                  MPI_Comm world);

}  // namespace distributed
