// Rungs that are wrong on purpose, each in one way. The verifier must catch every one of them.
#pragma once

#include <span>

#include "kernels/ladder.hpp"

namespace faulty {

/// A right rung, like the others without their faults.
extern const ladder::Rung sound;

/// Returns rungs whose results are wrong for every problem with M, N, K >= 2.
std::span<const ladder::Rung> wrong_results();

/// Reads one element past the end of each row of A, or one row past the end of B, and uses it.
extern const ladder::Rung reads_past_a;
extern const ladder::Rung reads_past_b;
/// Writes one float past each row of C, which is another row's element unless ldc leaves padding.
extern const ladder::Rung writes_past_row;
/// Writes one float before the first element of C, or one past the last.
extern const ladder::Rung writes_before_c;
extern const ladder::Rung writes_past_c;
/// Multiplies C by beta even if beta is 0.
extern const ladder::Rung reads_c_always;
/// Rounds A to the 11 significant bits that TF32 has.
extern const ladder::Rung rounds_to_tf32;
/// Rounds A to 20 bits and promises the errors of rung 14.
extern const ladder::Rung rounds_to_20_bits;
/// Forms indices into A, B or C in 32 bits.
extern const ladder::Rung truncates_index_into_a;
extern const ladder::Rung truncates_index_into_b;
extern const ladder::Rung truncates_index_into_c;
/// Launches on the default stream, never on the requested one.
extern const ladder::Rung ignores_stream;
/// Returns cudaSuccess even if the launch failed.
extern const ladder::Rung hides_errors;
/// Takes the number of its blocks modulo 2^32.
extern const ladder::Rung truncates_grid;
/// Lets blocks add their parts of a sum in the order in which they finish.
extern const ladder::Rung adds_in_any_order;
/// Has a right result and breaks its promise.
extern const ladder::Rung breaks_promise;

/// Copies a tile of A, transposed, to shared memory by cp.async as rungs 10 to 12 do. The rows begin in different banks
/// or, without padding, all in the same bank. Both claim to have no bank conflicts.
extern const ladder::Rung padded_copy;
extern const ladder::Rung unpadded_copy;

}  // namespace faulty
