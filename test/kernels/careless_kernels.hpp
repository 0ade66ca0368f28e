// Rungs that are right in most cases and wrong in a rare one. Each is there for one check of the contract.
#pragma once

#include "kernels/ladder.hpp"

namespace careless {

/// The first takes an even ldc for a multiple of four. The second takes a C on an 8-byte boundary for one on a 16-byte
/// boundary.
extern const ladder::Rung takes_even_ldc;
extern const ladder::Rung takes_half_aligned_c;
/// Leaves out rows beyond the 64th if K = 1; the last row if M = 1 mod 128 and N > 1024.
extern const ladder::Rung leaves_rows_at_k_1;
extern const ladder::Rung loses_the_last_row;

// They take transposes; the first one is right.
extern const ladder::Rung takes_transposes;
extern const ladder::Rung forgets_op_of_b;
extern const ladder::Rung forgets_lda;

extern const ladder::Rung shares_b_always;  // in a batch

/// In order: takes alpha = -1 for 1, takes |beta| below 1e-6 for 0, skips products with a zero of A, makes a NaN 0,
/// clamps infinities, makes subnormals 0.
extern const ladder::Rung loses_a_sign;
extern const ladder::Rung drops_a_small_beta;
extern const ladder::Rung skips_zeros;
extern const ladder::Rung hides_nan;
extern const ladder::Rung clamps_infinities;
extern const ladder::Rung flushes_subnormals;

/// Keeps the grid of the first call with this M and K.
extern const ladder::Rung keeps_its_grid;
/// The first frees memory in its launch; cudaFree() waits for the device. The second synchronizes with its stream.
extern const ladder::Rung frees_memory;
extern const ladder::Rung synchronizes;
/// The first forms C in one buffer for all launches. The second allocates memory in its launch, which cannot be
/// captured.
extern const ladder::Rung shares_a_buffer;
extern const ladder::Rung allocates_memory;

/// Both are right everywhere: a block has whole rows of C, so the grid grows with M and not with N. The second has at
/// most 65535 blocks.
extern const ladder::Rung takes_whole_rows;
extern const ladder::Rung takes_rows_in_turns;
/// Both are right everywhere: their blocks, at most 65535 and at most 950 000, take one tile after another.
extern const ladder::Rung takes_tiles_in_turns;
extern const ladder::Rung takes_many_tiles_in_turns;
/// Their blocks, at most 65535 and at most 2^31 - 1, take one tile each.
extern const ladder::Rung leaves_tiles_beyond_its_grid;
extern const ladder::Rung leaves_tiles_beyond_31_bits;

/// The first cuts the block's number to 16 bits. Two have the tiles' rows or columns in the grid's y. Three cut row,
/// col or K to 32 bits.
extern const ladder::Rung cuts_block_number;
extern const ladder::Rung rows_in_grid_y;
extern const ladder::Rung cols_in_grid_y;
extern const ladder::Rung cuts_row;
extern const ladder::Rung cuts_col;
extern const ladder::Rung cuts_k;

}  // namespace careless
