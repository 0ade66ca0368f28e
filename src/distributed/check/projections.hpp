// Checks every element of a product without computing it anew (Freivalds, 1977; Huang and Abraham, 1984): multiplies both sides of
// C = alpha op(A) op(B) + beta C by a vector of random whole numbers, from the right and from the left. A wrong element makes its row and its
// column differ. If the matrices have whole numbers, all sums are exact.
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
  std::vector<double> row_tolerances{}, col_tolerances{};  // empty: C is exact
};

/// Whether C is exact, or is rounded to FP32 as it is summed.
enum class Rounding { none, fp32 };

/// Returns what C's projections will be after the product, from A, B and C as they are before it. All processes of the grid call it.
Projections expected_projections(const Product& product, const Grid& grid, int rank, MPI_Comm world,
                                 Rounding rounding = Rounding::none);

/// Compares C with them after the product. If C is exact, a row or column is wrong if its sum differs at all, and the chance that a wrong
/// one is not seen is below 2^-14. If C is rounded, a single wrong element is seen if it is off by some roundings of the whole row's sum.
Differences differences(const Projections& expected, const Product& product, const Grid& grid,
                        int rank, MPI_Comm world);

}  // namespace distributed
