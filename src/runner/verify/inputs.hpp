// The elements of the matrices. Each is a pure function of seed, matrix, row and column. So the host keeps no copy, any part can
// be made again, and threads may fill a matrix together.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "kernels/ladder.hpp"
#include "results/values/problem.hpp"

namespace runner {

enum class Values {
  reals,     // the problem's data: uniform in [-1, 1) unless another kind was requested
  integers,  // small enough that FP32 sums them exactly in any order
};

enum class Operand : uint64_t { A = 1, B = 2, C = 3 };

/// Fills memory that a kernel must neither read nor write. It is a NaN, so a read spoils the result. GPU arithmetic never makes
/// this NaN (its own is 0x7FFFFFFF), so a write shows. Its four bytes are equal, so cudaMemset can write it.
inline constexpr uint32_t POISON_BITS = 0xFFFFFFFFu;
inline bool is_poison(float value) { return std::bit_cast<uint32_t>(value) == POISON_BITS; }

/// The kinds of rows and columns of special data.
inline constexpr int SPECIAL_KINDS = 11;

/// Returns random bits, a pure function of the arguments.
uint64_t random_bits(uint64_t seed, uint64_t index);

/// The elements of A, B and of C before the call.
///
/// Reals, by the problem's data:
///   uniform       in [-1, 1), multiples of 2^-23
///   normal        of mean 0 and deviation 1
///   lognormal     of random sign; log2 of the magnitude is normal of deviation 20 / 6, cut at -10 and 10
///   scaled        uniform; row i of A times 2^e, column j of B times 2^f, e and f random in [-60, 60]; C times 2^(e + f)
///   inner_scaled  uniform; column k of A times 2^e, row k of B times 2^-e: the same products as of uniform data
///   cancelling    A = [X, X], B = [Y; d - Y] with X, Y uniform and d below 2^-12: |A||B| is large against A * B. The last k
///                 of an odd K has a small B.
///   integers      whole numbers from -4096 to 4096
///   positive      in (0, 1], multiples of 2^-23
///   special       each row of A and each column of B has one of SPECIAL_KINDS kinds, in turn: uniform; one NaN, one
///                 infinity or two among uniform elements; all subnormal, near FP32's largest number or of any exponent;
///                 zeros. All kinds of rows meet all kinds of columns. Numbers beyond the arithmetic's range are
///                 moved into it: to its largest input, or to zero.
/// C has the same data as A and B, except that it is uniform with inner_scaled and special, and small with cancelling.
///
/// Integers: A holds as many bits as the arithmetic multiplies exactly, 12 in FP32. |A| <= min(4095, 2^22 / K), |B| <=
/// 1 and |C| <= 1023. Alpha and beta are replaced by integers of magnitude at most 2; a 0 stays 0 and a 1 stays 1.
/// Every partial sum is then below 2^24 for K <= 2^22, and FP32 adds exactly in any order. (Beyond that K the worst
/// case is larger, but a sum of so many random signs does not come near it.)
class Inputs {
 public:
  /// `product`: of a batch. Matrices that the products share are those of product 0; all others differ.
  Inputs(const results::Problem& problem, Values values,
         const ladder::Arithmetic& arithmetic = ladder::FP32, int64_t product = 0);

  Values values() const { return values_; }
  float alpha() const { return alpha_; }
  float beta() const { return beta_; }

  float at(Operand operand, int64_t row, int64_t col) const;
  /// Returns the unit of element (row, col) of C in the Frobenius norm: 2^(e + f) for scaled data, else 1. In a common unit, the few
  /// largest elements of a scaled C would stand for all of them.
  double unit(int64_t row, int64_t col) const;
  /// Writes elements (row, 0), (row, 1), ... until `out` is full.
  void fill_row(Operand operand, int64_t row, std::span<float> out) const;
  /// Writes elements (0, col), (1, col), ... until `out` is full.
  void fill_col(Operand operand, int64_t col, std::span<float> out) const;

 private:
  int64_t largest(Operand operand) const;
  float real(Operand operand, int64_t row, int64_t col, uint64_t random) const;
  float cancelling(Operand operand, int64_t row, int64_t col) const;
  float special(Operand operand, int64_t line, int64_t k, uint64_t random) const;
  float in_range(float x) const;
  int exponent(Operand of, int64_t line) const;
  int inner_exponent(int64_t k) const;

  Values values_;
  results::Data data_;
  int64_t K_;
  uint64_t seed_of(Operand operand) const { return seeds_[static_cast<size_t>(operand)]; }
  std::array<uint64_t, 4> seeds_;  // the batch's, then by operand
  int64_t largest_a_;
  float largest_input_, least_input_;
  float alpha_;
  float beta_;
};

}  // namespace runner
