// The matrix instructions of the tensor cores. Part of a level: see level.hpp.
#pragma once

#include <cstdint>

#include "simulator/decode/instruction_set.hpp"
#include "simulator/execute/level/level.hpp"
#include "simulator/execute/state/warp.hpp"

BEGIN_LEVEL

/// Returns the ldmatrix of 1, 2 or 4 matrices. The registers that it fills are in Op::lists.
Execute find_matrix_load(size_t count, bool transposed);
/// Returns the stmatrix of 1, 2 or 4 matrices. The registers that it stores are in Op::lists.
Execute find_matrix_store(size_t count, bool transposed);

/// Returns the mma.sync with this shape, or nullptr if it is outside the subset. The lanes' registers of D, A, B and C are in
/// Op::lists.
Execute find_matrix_product(const MatrixShape& shape);

/// Returns the wgmma.mma_async with this shape, or nullptr: see InstructionSet. Each warp computes its 16 rows at once. The
/// results reach their registers at the wait, and until then the product counts as a reader of shared memory.
Execute find_warpgroup_product(const MatrixShape& shape);

// --- wgmma between its instruction and the wait that covers it: products.cpp

/// wgmma.fence, commit_group and wait_group.
void fence_products(Warp& w, const Op& op);
void commit_products(Warp& w, const Op& op);
void await_products(Warp& w, const Op& op);

/// Forgets the products that a warp leaves behind when it exits.
void end_products(Warp& w);

/// Returns the values of an accumulator as the tensor core has them: a result that is under way, or the register.
const uint32_t* accumulator(const Warp& w, Slot slot);
/// Returns the place for a result of the wgmma, which reaches its register at the wait. `slot` may also be the accumulator.
uint32_t* late_result(Warp& w, Slot slot, uint32_t instruction);

/// Called before a wgmma, if hazards are looked for: checks its registers, and that its warpgroup executes it together.
void check_product(Warp& w, const Op& op);

/// Called around each other instruction of a program with wgmma. Before it: looks for uses of registers that the tensor core
/// still uses. After it: a copy of a late result is late too, since a compiler may insert copies.
void before_instruction(Warp& w, const Op& op);
void after_instruction(Warp& w, const Op& op);

END_LEVEL
