// The bits of this process's part of a matrix.
#pragma once

#include <cstdint>

#include "distributed/layout/layout.hpp"

namespace distributed {

/// Returns the sum of the elements' bits, each multiplied by an odd number that follows from its place in the whole matrix, modulo 2^64: the
/// sum over all processes does not depend on the grid. Throws std::runtime_error if CUDA fails.
uint64_t sum_of_bits(const float* c, int64_t ldc, const Layout& layout, const Grid& grid, int rank);

}  // namespace distributed
