// A part of a matrix times a vector, in FP64.
#pragma once

#include <cstdint>
#include <vector>

namespace distributed {

/// Returns X x, or X' x, for a column-major matrix that the device can read. With `squares`, X has the squares of the matrix's elements. Throws std::runtime_error if CUDA fails.
std::vector<double> sums_of(const float* matrix, int64_t ld, int64_t rows, int64_t cols,
                            bool is_transposed, bool squares, const std::vector<double>& x);

}  // namespace distributed
