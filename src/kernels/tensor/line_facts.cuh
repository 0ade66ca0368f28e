// The facts about each line that a product by parts needs. A line is a row of A or a column of B.
//
// A number is split into two FP16 parts, hi + 2^-11 lo. FP16 has 5 bits of exponent, so a line is scaled first: by a power of two
// that brings its largest element into [2^12, 2^15). Scaling is exact, and the sum of a row times a column is scaled back at the
// end. Two parts hold 23 bits of each element down to 2^-25 of the largest one or less. A line with an element that is smaller or subnormal is
// `rough`: all that is known about that element's error is an absolute bound, 2^-36 in scaled units. An infinity or a NaN shows in
// the sum.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/tensor/cancellation.cuh"

namespace ladder {

/// The facts of a line. Each is a maximum or a union that begins at zero, so blocks may collect them in any order.
struct LineFacts {
  unsigned largest;           // the bits of the largest magnitude
  unsigned smallest_inverse;  // NO_MAGNITUDE minus the bits of the smallest one above zero
  unsigned fractions;         // the bits that are set in any element's fraction

  static constexpr unsigned NO_MAGNITUDE = 0x7fffffff, FRACTION = 0x7fffff;

  __device__ static unsigned magnitude_of(float x) { return __float_as_uint(x) & NO_MAGNITUDE; }
  __device__ void add(float x) {
    const unsigned magnitude = magnitude_of(x);
    largest = max(largest, magnitude);
    smallest_inverse = max(smallest_inverse, magnitude == 0 ? 0 : NO_MAGNITUDE - magnitude);
    fractions |= magnitude & FRACTION;
  }
  __device__ void add_lane(int distance) {
    largest = max(largest, __shfl_xor_sync(~0u, largest, distance));
    smallest_inverse = max(smallest_inverse, __shfl_xor_sync(~0u, smallest_inverse, distance));
    fractions |= __shfl_xor_sync(~0u, fractions, distance);
  }
  __device__ void add_atomically(const LineFacts& more) {
    atomicMax(&largest, more.largest);
    atomicMax(&smallest_inverse, more.smallest_inverse);
    atomicOr(&fractions, more.fractions);
  }

  /// Returns how many significant bits suffice for every element: 24 for most numbers, 1 for powers of two, 0 for zeros.
  __device__ int significant_bits() const {
    if (largest == 0) return 0;
    return fractions == 0 ? 1 : 25 - __ffs(static_cast<int>(fractions));
  }

  /// Returns n of the line's largest scale 2^n: from -114 to 126.
  __device__ int exponent() const { return exponent_for(largest); }
  __device__ static int exponent_for(unsigned largest) {
    return min(141 - static_cast<int>(largest >> 23), 126);
  }
  /// Returns n of a scale for a line of which only a sample is known, with this largest magnitude. Other elements may be up to
  /// four times as large.
  __device__ static int guess_exponent(unsigned largest_of_sample) {
    return exponent_for(largest_of_sample) - 2;
  }
};

/// Returns 2^n, for n from -126 to 127.
__device__ inline float power_of_two(int n) {
  return __uint_as_float(static_cast<unsigned>(n + 127) << 23);
}

/// The properties of a row or a column that finish() needs.
struct Line {
  float unscale;  // 2^-n
  float energy;   // the sum of the scaled elements' squares
  int bits;       // LineFacts::significant_bits()
  bool is_rough;
  bool is_sparse;  // a few elements outweigh all others, so that their errors do not average out
  bool
      is_plain;  // finish() never doubts a sum of a plain row times a plain column, and the sum never overflows

  __device__ Energy total() const { return Energy::of_line(unscale, energy); }
};

/// Returns the properties of a line that is scaled by 2^exponent. `energy`: the sum of the scaled elements' squares, cut to an
/// integer. Integers have the same sum in any order.
__device__ inline Line line_of(const LineFacts& facts, unsigned long long energy, int exponent) {
  // The exponent of the smallest magnitude, as FP32 stores it: 0 for subnormal numbers.
  const int least = static_cast<int>((LineFacts::NO_MAGNITUDE - facts.smallest_inverse) >> 23);
  const float largest = __uint_as_float(facts.largest) * power_of_two(exponent);
  Line line{};
  line.unscale = power_of_two(-exponent);
  line.energy = static_cast<float>(energy);
  line.bits = facts.significant_bits();
  line.is_rough = least == 0 || least - 127 + exponent < -12;
  line.is_sparse = line.energy < 8 * largest * largest;
  line.is_plain = !line.is_sparse && line.bits > 12 && -30 <= exponent && exponent <= 60;
  return line;
}

/// A sum in the units of A and B, and whether FP64 must compute it instead.
struct Finished {
  float product;
  bool is_in_doubt;
};

/// True if the error of a rough line, up to K 2^-20, may matter beside this sum. True for NaN.
__device__ inline bool is_small_for_rough_lines(float sum, float K) {
  return !(fabsf(sum) >= 4 * K);
}

/// Scales a sum of K products back. It is in doubt if FP32 would be more accurate, or exact where parts are not:
///   - The sum of a rough line may be off by K 2^-20. That is little beside 4 K.
///   - The errors of a sparse line's few large elements may come near the limit for a single element of C.
///   - A product of elements with a and b significant bits is an FP32 number only if a + b <= 25. Then FP32 sums may be exact, and
///     ours is not if a part of the product is missing: the 24th bit of an element, or lo times lo.
///   - The sum overflows, or it underflows while it is scaled back.
__device__ inline Finished finish(float sum, float K, const Line& row, const Line& col) {
  constexpr float LEAST_NORMAL = 0x1p-126f;
  const float half_way = sum * row.unscale;
  const float product = half_way * col.unscale;
  const bool rough = (row.is_rough || col.is_rough) && is_small_for_rough_lines(sum, K);
  const bool sparse = row.is_sparse || col.is_sparse;
  const int longer = max(row.bits, col.bits), shorter = min(row.bits, col.bits);
  const bool inexact = shorter > 0 && longer + shorter <= 25 && (longer == 24 || shorter > 11);
  const bool lost = sum != 0 && fabsf(half_way) < LEAST_NORMAL;
  return {product, rough || sparse || inexact || lost || !isfinite(product)};
}

}  // namespace ladder
