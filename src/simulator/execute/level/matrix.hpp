// The matrix instructions of the tensor cores. Part of a level: see level.hpp.
#pragma once

#include "simulator/decode/instruction_set.hpp"
#include "simulator/execute/level/level.hpp"

BEGIN_LEVEL

/// Returns the ldmatrix of 1, 2 or 4 matrices. The registers that it fills are in Op::lists.
Execute find_matrix_load(size_t count, bool transposed);
/// Returns the stmatrix of 1, 2 or 4 matrices. The registers that it stores are in Op::lists.
Execute find_matrix_store(size_t count, bool transposed);

/// Returns the mma.sync with this shape, or nullptr if it is outside the subset. The lanes' registers of D, A, B and C are in
/// Op::lists.
Execute find_matrix_product(const MatrixShape& shape);

/// Returns the wgmma.mma_async with this shape, or nullptr: see InstructionSet. Each warp computes its 16 rows at once. The
/// results reach their registers at the wait (products.hpp), and until then the product counts as a reader of shared memory.
Execute find_warpgroup_product(const MatrixShape& shape);

END_LEVEL
