// What is known about each line of a product by two parts of the same scale, and which lines it cannot compute. A line is a row of A
// or a column of B.
//
// A number is split into two FP16 numbers, x = hi + lo. FP16 has 5 bits of exponent, so a line is scaled by a power of two first. The
// scale is guessed from a sample of the line: it brings the sample's largest element into [2^9, 2^10). Elements may be up to 2^5 times as
// large. Elements from 2^-2 on have 23 bits in their parts. Smaller ones, here called small, have an error of at most 2^-25.
//
// Most lines are good. A line is `lost`, and is computed in FP64 alone, if
//   - an element is beyond the scale, an infinity or a NaN,
//   - a few elements outweigh all others, so that their errors do not average out,
//   - many elements are small.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/tensor/cancellation.cuh"
#include "kernels/tensor/line_facts.cuh"

namespace ladder {

/// Facts about the part of a line that a thread has seen.
struct LineSoFar {
  unsigned largest = 0;    // the bits of the largest magnitude
  unsigned fractions = 0;  // the bits that are set in any element's fraction
  unsigned small =
      0;  // how many elements are small, and how many of them are not zero, times NOT_ZERO
  float energy = 0;  // the sum of the scaled elements' squares
  static constexpr unsigned NOT_ZERO = 1u << 16;

  __device__ void add(float x, float scaled) {
    const unsigned magnitude = LineFacts::magnitude_of(x);
    largest = max(largest, magnitude);
    fractions |= magnitude & LineFacts::FRACTION;
    if (fabsf(scaled) < 0.25f) small += magnitude == 0 ? 1 : NOT_ZERO + 1;
    energy += scaled * scaled;
  }
  __device__ void add_lane(int distance) {
    largest = max(largest, __shfl_xor_sync(~0u, largest, distance));
    fractions |= __shfl_xor_sync(~0u, fractions, distance);
    small += __shfl_xor_sync(~0u, small, distance);
    energy += __shfl_xor_sync(~0u, energy, distance);
  }
};

/// The facts about a line, or about a piece of it. All sums are sums of integers, so the pieces may be added in any order.
struct LineRecord {
  unsigned long long energy;  // each part is cut to an integer
  unsigned largest;
  unsigned fractions;
  unsigned small;
  unsigned inexact;  // how many elements are small, but not zero
  int exponent;      // the line is scaled by 2^exponent

  __device__ static LineRecord of(const LineSoFar& piece, int exponent) {
    return {static_cast<unsigned long long>(piece.energy),
            piece.largest,
            piece.fractions,
            piece.small % LineSoFar::NOT_ZERO,
            piece.small / LineSoFar::NOT_ZERO,
            exponent};
  }
  __device__ void add(const LineRecord& more) {
    energy += more.energy;
    largest = max(largest, more.largest);
    fractions |= more.fractions;
    small += more.small;
    inexact += more.inexact;
  }
  __device__ void add_atomically(const LineRecord& more) {
    atomicAdd(&energy, more.energy);
    atomicMax(&largest, more.largest);
    atomicOr(&fractions, more.fractions);
    atomicAdd(&small, more.small);
    atomicAdd(&inexact, more.inexact);
  }
};

/// The records of the rows of A, or of the columns of B. If K is short, each piece of a line has a record of its own. Otherwise all
/// pieces add to one record, which must begin as zeros.
struct LineRecords {
  LineRecord* first;  // (matrix of the batch, piece: pieces, line: lines)
  int64_t lines;
  int pieces;       // 1 if they add to one record
  bool are_added;   // to one record
  bool are_shared;  // by all products of a batch: there is one matrix

  /// Returns the records of a product's matrix.
  __host__ __device__ LineRecords of_product(int64_t product) const {
    LineRecords records = *this;
    if (!are_shared) records.first += product * pieces * lines;
    return records;
  }
  /// Returns how many matrices a batch has.
  int64_t matrices(int64_t batch) const { return are_shared ? 1 : batch; }

  /// Puts down what a block knows of a piece of a line.
  __device__ void put(int64_t line, int64_t piece, const LineRecord& record) const {
    if (!are_added) {
      first[piece * lines + line] = record;
      return;
    }
    first[line].add_atomically(record);
    if (piece == 0) first[line].exponent = record.exponent;
  }
  /// Returns the record of a whole line.
  __device__ LineRecord of_line(int64_t line) const {
    LineRecord whole = first[line];
    for (int piece = 1; piece < pieces; ++piece) whole.add(first[piece * lines + line]);
    return whole;
  }
};

/// Returns n of the scale 2^n for a line whose sample has this largest magnitude. `of_group`: the largest magnitude in the samples of
/// the neighbours, for a line whose own sample has only zeros.
__device__ inline int guess_exponent(unsigned largest_of_sample, unsigned of_group) {
  const unsigned largest = largest_of_sample == 0 ? of_group : largest_of_sample;
  return largest == 0 ? 0 : min(136 - static_cast<int>(largest >> 23), 126);
}

/// The properties of a line that the end of a product needs; at first those of a line of zeros.
struct KnownLine {
  float unscale = 1;         // 2^-n
  float largest = 0;         // scaled
  float energy = 0;          // the sum of the scaled elements' squares
  float breadth = INFINITY;  // half of the energy, in units of the largest element's square
  unsigned small = 0;        // how many elements are small
  unsigned inexact = 0;      // how many of them are not zero
  int bits = 0;              // how many significant bits suffice for every element
  bool is_long = true;       // a product of two long lines is hardly ever exact in FP32
  bool is_lost = false;
  bool is_plain = true;  // long, and a sum of a plain row times a plain column is finite

  /// Returns the energy that the line adds to others': none if it is lost.
  __device__ Energy total() const { return is_lost ? Energy{} : Energy::of_line(unscale, energy); }
};

__device__ inline KnownLine known_line(const LineRecord& record, int64_t K) {
  KnownLine line;
  if (record.largest == 0) return line;
  line.unscale = power_of_two(-record.exponent);
  line.largest = __uint_as_float(record.largest) * power_of_two(record.exponent);
  line.energy = static_cast<float>(record.energy);
  line.breadth = line.energy / (2 * line.largest * line.largest);
  line.small = record.small;
  line.inexact = record.inexact;
  line.bits = LineFacts{record.largest, 0, record.fractions}.significant_bits();
  line.is_long = line.bits > 12;
  line.is_lost =
      !(line.largest < 0x1p15f) || !(line.breadth >= 4) || record.inexact > max(int64_t{4}, K / 64);
  line.is_plain = line.is_long && -30 <= record.exponent && record.exponent <= 60;
  return line;
}

/// Returns how large the sum of a line times another one must be at least, so that the errors of the line's small elements cannot harm
/// it: |A||B| is at least the sum. Returns 0 if any sum will do: if the line has no more small elements than the other line is broad, at
/// least half of the other line's energy meets elements that are not small, and |A||B| is at least 2^23 times the errors.
__device__ inline float least_harmless_sum(unsigned small, unsigned inexact, float other_breadth,
                                           float other_largest) {
  if (inexact == 0 || static_cast<float>(small) <= other_breadth) return 0;
  return static_cast<float>(inexact) * other_largest * 0x1p-4f;  // an error is at most 2^-25
}

/// Scales a sum back whose lines are not both plain, or whose small elements may harm it. It is in doubt if they may, if FP32 would give
/// it exactly and parts may not, or if it overflows or underflows (finish() in line_facts.cuh explains why).
__device__ inline Finished finish_known(float sum, const KnownLine& row, const KnownLine& col) {
  constexpr float LEAST_NORMAL = 0x1p-126f;
  const float half_way = sum * row.unscale;
  const float product = half_way * col.unscale;
  const float least = fmaxf(least_harmless_sum(row.small, row.inexact, col.breadth, col.largest),
                            least_harmless_sum(col.small, col.inexact, row.breadth, row.largest));
  const bool is_harmed = !(fabsf(sum) >= least);
  const int longer = max(row.bits, col.bits), shorter = min(row.bits, col.bits);
  const bool inexact = shorter > 0 && longer + shorter <= 25 && (longer == 24 || shorter > 11);
  const bool underflows = sum != 0 && fabsf(half_way) < LEAST_NORMAL;
  return {product, is_harmed || inexact || underflows || !isfinite(product)};
}

}  // namespace ladder
