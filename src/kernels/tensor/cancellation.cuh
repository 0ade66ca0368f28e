// Finds sums whose terms cancel: they are far smaller than sums of terms with random signs would be, and the errors of the parts weigh
// more beside them. FP64 computes such sums.
//
// The sums of a warp are judged together, as the Frobenius norm judges them: in the units of C. Otherwise rows of large elements that
// cancel would hide behind rows of small ones that do not, although their errors are most of what is wrong with C. So each line's
// energy, and each sum, is weighted with the line's scale.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/warp_reduce.cuh"

namespace ladder {

/// Returns 1 / x for a power of two, 2^127 for 0.
__device__ inline float inverse_power(float x) {
  return __uint_as_float((254u << 23) - __float_as_uint(x));
}

/// The sum of the squares of lines' elements, whatever the scales of the lines.
struct Energy {
  float unit =
      0;  // a power of two, the largest `unscale` of a line that is not zero; 0 if there is none
  float squares = 0;  // in units of unit^2

  /// Returns the energy of one line. `squares`: of its scaled elements.
  __device__ static Energy of_line(float unscale, float squares) {
    if (squares == 0) return {};
    return {unscale, squares};
  }
  /// Returns the factor that brings sums of a line, with that `unscale`, into the unit. Of a line of zeros it means nothing.
  __device__ float weight(float unscale) const { return unscale * inverse_power(unit); }

  __device__ void add(Energy more) {
    const float larger = fmaxf(unit, more.unit);
    change_unit(larger);
    more.change_unit(larger);
    squares += more.squares;
  }
  /// Gives all lanes of the warp the same unit.
  __device__ void share_unit() {
    // Positive floats have the order of their bits.
    change_unit(__uint_as_float(device::largest_of_lanes(__float_as_uint(unit))));
  }
  /// Adds up the energies of all lanes of the warp.
  __device__ void add_lanes() {
    share_unit();
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      squares += __shfl_xor_sync(~0u, squares, distance);
    }
  }

 private:
  __device__ void change_unit(float to) {
    const float factor = unit * inverse_power(to);
    unit = to;
    squares *= factor * factor;
  }
};

/// Adds up the squares of some sums, and the squares to expect if the terms of the sums had random signs. Both are in the units of
/// the energy of the sums' rows times that of their columns.
struct Cancellation {
  float energies = 0;  // of the rows times those of the columns
  float squares = 0;

  /// Adds a sum with the weights of its row and its column.
  __device__ void add(float sum, float weight_row, float weight_col) {
    if (sum == 0) return;  // a line of zeros has no weight
    const float weighted = sum * weight_row * weight_col;
    squares += weighted * weighted;
  }
  /// Returns whether the warp's sums cancel. All lanes call it. SHARED_ENERGIES: all lanes have the energies of the whole warp.
  template <bool SHARED_ENERGIES>
  __device__ bool is_in_doubt(float K) {
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      squares += __shfl_xor_sync(~0u, squares, distance);
      if (!SHARED_ENERGIES) energies += __shfl_xor_sync(~0u, energies, distance);
    }
    return 16 * K * squares < energies;
  }
};

/// Returns whether the sums of a warp cancel. Each lane has `squares` of two rows' sums, in units of the columns' energy; the energies
/// are those of the whole warp. All lanes call it.
__device__ inline bool do_cancel(const Energy& rows, const Energy& cols,
                                 const float (&unscale_row)[2], const float (&squares)[2],
                                 float K) {
  Cancellation cancellation{.energies = rows.squares * cols.squares};
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float weight = rows.weight(unscale_row[half]);
    if (squares[half] > 0) cancellation.squares += squares[half] * weight * weight;
  }
  return cancellation.is_in_doubt<true>(K);
}

}  // namespace ladder
