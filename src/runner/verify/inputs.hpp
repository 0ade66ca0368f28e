// The elements of the matrices. Each is a pure function of seed, matrix, row and column. So the host keeps no copy, any part can
// be made again, and threads may fill a matrix together.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "kernels/ladder.hpp"
#include "results/values/problem.hpp"

namespace runner {

enum class Values {
  reals,     // uniform in [-1, 1), multiples of 2^-23
  integers,  // small enough that FP32 sums them exactly in any order
};

enum class Operand : uint64_t { A = 1, B = 2, C = 3 };

/// Fills memory that a kernel must neither read nor write. It is a NaN, so a read spoils the result. GPU arithmetic never makes
/// this NaN (its own is 0x7FFFFFFF), so a write shows. Its four bytes are equal, so cudaMemset can write it.
inline constexpr uint32_t POISON_BITS = 0xFFFFFFFFu;
inline bool is_poison(float value) { return std::bit_cast<uint32_t>(value) == POISON_BITS; }

/// Random bits, a pure function of the arguments.
uint64_t random_bits(uint64_t seed, uint64_t index);

/// The elements of A, B and of C before the call.
///
/// Integers: A holds as many bits as the arithmetic multiplies exactly, 12 in FP32, |A| <= min(4095, 2^22 / K), |B| <= 1 and
/// |C| <= 1023, and alpha and beta are replaced by integers of magnitude at most 2 that are 0 or 1 where the problem's are. Every
/// partial sum is then below 2^24 for K <= 2^22, and FP32 adds exactly whatever the order. (Beyond that K the
/// worst case is larger, but a sum of as many random signs does not come near it.)
class Inputs {
 public:
  Inputs(const results::Problem& problem, Values values,
         const ladder::Arithmetic& arithmetic = ladder::FP32);

  Values values() const { return values_; }
  float alpha() const { return alpha_; }
  float beta() const { return beta_; }

  float at(Operand operand, int64_t row, int64_t col) const;
  /// Writes elements (row, 0), (row, 1), ... until `out` is full.
  void fill_row(Operand operand, int64_t row, std::span<float> out) const;

 private:
  int64_t largest(Operand operand) const;

  Values values_;
  uint64_t seed_;
  int64_t largest_a_;
  float alpha_;
  float beta_;
};

}  // namespace runner
