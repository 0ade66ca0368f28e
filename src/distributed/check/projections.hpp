// Checks every element of a product of whole numbers, without computing it anew (Freivalds, 1977): multiplies both sides of
// C = alpha op(A) op(B) + beta C by a vector of random whole numbers, from the right and from the left. All sums are exact. A wrong element
// makes its row and its column differ.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "distributed/product/product.hpp"

namespace distributed {

/// The rows and columns of C in which a wrong element was found.
struct Differences {
  std::vector<int64_t> rows, cols;
  bool are_none() const { return rows.empty() && cols.empty(); }
};

/// The sums that C must have: its rows and its columns, multiplied by random numbers.
struct Projections {
  std::vector<double> of_rows, of_cols;
};

/// Returns what C's projections will be after the product, from A, B and C as they are before it. All processes of the grid call it.
Projections expected_projections(const Product& product, const Grid& grid, int rank,
                                 MPI_Comm world);

/// Compares C with them after the product. A row or column is wrong if its sum differs at all. The chance that a wrong one is not seen is
/// below 2^-16.
Differences differences(const Projections& expected, const Product& product, const Grid& grid,
                        int rank, MPI_Comm world);

}  // namespace distributed
