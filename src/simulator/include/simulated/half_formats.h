// FP16, BF16 and TF32 as their bits: exact widening to double, and rounding once. cuda_fp16.h and cuda_bf16.h compute
// with it on the host, and the simulated device executes its instructions with it, so both give the same bits.
#pragma once
#pragma GCC system_header

#include "host_defines.h"

struct __half;
struct __nv_bfloat16;

namespace __simulator_half {

// `type` exists if one type is FP16 and the other BF16.
template <typename To, typename From>
struct OtherFormat {};
template <>
struct OtherFormat<__half, __nv_bfloat16> {
  typedef int type;
};
template <>
struct OtherFormat<__nv_bfloat16, __half> {
  typedef int type;
};

enum class Rounding { nearest, zero, up, down };

/// A format with this many bits of fraction and exponent. 16 bits with the sign. (The names are no names in capitals: a program may define
/// such macros before it includes this.)
template <int FractionBits, int ExponentBits>
struct Format {
  using Bits = unsigned short;
  using Word = unsigned long long;
  static constexpr int Fraction = FractionBits, Exponent = ExponentBits;
  static constexpr int Bias = (1 << (Exponent - 1)) - 1;
  static constexpr unsigned Sign = 0x8000, WithoutSign = 0x7fff;
  static constexpr unsigned Infinite = ((1u << Exponent) - 1) << Fraction;
  static constexpr unsigned NotANumber = 0x7fff;  // every NaN that a GPU computes

  static constexpr __host__ __device__ bool is_nan(unsigned bits) {
    return (bits & WithoutSign) > Infinite;
  }
  static constexpr __host__ __device__ bool is_infinite(unsigned bits) {
    return (bits & WithoutSign) == Infinite;
  }
  static constexpr __host__ __device__ bool is_subnormal(unsigned bits) {
    return (bits & Infinite) == 0 && (bits & WithoutSign) != 0;
  }

  /// Returns the number with these bits. Each is a double.
  static constexpr __host__ __device__ double widen(unsigned bits) {
    const Word sign = Word{bits & Sign} << 48;
    const unsigned magnitude = bits & WithoutSign;
    if (magnitude >= Infinite) {
      const Word top = Word{0x7ff} << 52;
      return __builtin_bit_cast(double, sign | top | (Word{magnitude - Infinite} << (52 - Fraction)));
    }
    if (magnitude >> Fraction != 0) {
      const Word rebiased = (Word{magnitude} << (52 - Fraction)) + (Word{1023 - Bias} << 52);
      return __builtin_bit_cast(double, sign | rebiased);
    }
    // A subnormal number is a multiple of the format's least one.
    const double least = __builtin_bit_cast(double, Word{1023 + 1 - Bias - Fraction} << 52);
    const double value = static_cast<double>(magnitude) * least;
    return sign != 0 ? -value : value;
  }

  /// Rounds a number once.
  static constexpr __host__ __device__ Bits narrow(double value,
                                                   Rounding rounding = Rounding::nearest) {
    const Word bits = __builtin_bit_cast(Word, value);
    const unsigned sign = static_cast<unsigned>(bits >> 48) & Sign;
    const int biased = static_cast<int>(bits >> 52 & 0x7ff);
    const Word fraction = bits & ((Word{1} << 52) - 1);
    if (biased == 0x7ff)
      return static_cast<Bits>(fraction != 0 ? NotANumber : sign | Infinite);
    if (biased == 0 && fraction == 0) return static_cast<Bits>(sign);
    const bool away = (rounding == Rounding::up && sign == 0) ||
                      (rounding == Rounding::down && sign != 0);
    const int exponent = biased - 1023;
    const bool normal = exponent >= 1 - Bias;
    // The significand is a whole number with `shift` bits too many.
    const Word significand = (biased != 0 ? Word{1} << 52 : 0) | fraction;
    const int shift = 52 - Fraction + (normal ? 0 : 1 - Bias - exponent);
    Word kept = shift > 60 ? 0 : significand >> shift;
    const Word rest = shift > 60 ? 1 : significand & ((Word{1} << shift) - 1);
    const Word half = shift > 60 ? 2 : Word{1} << (shift - 1);
    if (rounding == Rounding::nearest ? rest > half || (rest == half && (kept & 1) != 0)
                                      : away && rest != 0)
      ++kept;
    // A carry goes on into the exponent.
    if (normal && exponent > Bias) kept = Infinite;
    else if (normal) kept += static_cast<Word>(exponent + Bias - 1) << Fraction;
    if (kept >= Infinite) {
      const bool to_infinity = rounding == Rounding::nearest || away;
      kept = to_infinity ? Infinite : Infinite - 1;
    }
    return static_cast<Bits>(sign | kept);
  }

  /// Returns a b + c rounded once.
  static constexpr __host__ __device__ Bits fused(unsigned a, unsigned b, unsigned c) {
    return narrow(odd_sum(widen(a) * widen(b), widen(c)));  // the product is exact
  }
  static constexpr __host__ __device__ Bits add(unsigned a, unsigned b) {
    return narrow(odd_sum(widen(a), widen(b)));
  }
  static constexpr __host__ __device__ Bits subtract(unsigned a, unsigned b) {
    return narrow(odd_sum(widen(a), -widen(b)));
  }
  static constexpr __host__ __device__ Bits multiply(unsigned a, unsigned b) {
    return narrow(widen(a) * widen(b));
  }
  /// A double's 53 bits are more than twice the format's, so the second rounding changes nothing.
  static constexpr __host__ __device__ Bits divide(unsigned a, unsigned b) {
    return narrow(widen(a) / widen(b));
  }
  static constexpr __host__ __device__ Bits negate(unsigned a) {
    return static_cast<Bits>(is_nan(a) ? NotANumber : a ^ Sign);
  }
  static constexpr __host__ __device__ Bits magnitude(unsigned a) {
    return static_cast<Bits>(is_nan(a) ? NotANumber : a & WithoutSign);
  }
  /// Returns the lesser or greater number; -0 is less than +0. With one NaN the other operand, or NaN if
  /// `nan_wins`.
  static constexpr __host__ __device__ Bits extreme(unsigned a, unsigned b, bool maximum,
                                                    bool nan_wins) {
    if (is_nan(a) || is_nan(b)) {
      if (nan_wins || (is_nan(a) && is_nan(b))) return NotANumber;
      return static_cast<Bits>(is_nan(a) ? b : a);
    }
    const double x = widen(a), y = widen(b);
    const bool a_is_less = x == y ? (a & Sign) != 0 : x < y;
    return static_cast<Bits>(a_is_less != maximum ? a : b);
  }

  /// Returns a double to narrow() in the integer's place. Its last bit is set if bits were lost.
  static constexpr __host__ __device__ double odd(unsigned long long magnitude, bool negative) {
    const bool wide = magnitude >> 53 != 0;
    if (wide) magnitude = magnitude >> 11 | ((magnitude & 0x7ff) != 0 ? 1 : 0);
    const double value = static_cast<double>(magnitude) * (wide ? 2048.0 : 1.0);
    return negative ? -value : value;
  }

 private:
  /// Returns x + y to narrow(): if the sum is inexact, the neighbour whose last bit is set. Rounding that once
  /// more gives what rounding the exact sum gives.
  static constexpr __host__ __device__ double odd_sum(double x, double y) {
    const double sum = x + y;
    const double of_y = sum - x;
    const double lost = (x - (sum - of_y)) + (y - of_y);
    const Word bits = __builtin_bit_cast(Word, sum);
    if (!(lost < 0 || lost > 0) || (bits & 1) != 0) return sum;
    return __builtin_bit_cast(double, (lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
  }
};

using Fp16 = Format<10, 5>;
using Bf16 = Format<7, 8>;

/// An FP32 number whose lower 13 bits are zero, as FP32's bits.
struct Tf32 {
  static constexpr unsigned Infinite = 0x7f800000, Cut = 0x1fff, Half = 0x1000;

  /// Rounds a finite number: adds `added` to its bits. A carry goes on into the exponent, up to infinity. Then sets
  /// the lower 13 bits to zero, also those of infinities and NaN.
  static constexpr __host__ __device__ unsigned rounded(unsigned bits, unsigned added) {
    return (bits + ((bits & Infinite) != Infinite ? added : 0)) & ~Cut;
  }
  /// Rounds to nearest, ties away from zero. Of a NaN it only sets the lower 13 bits to zero.
  static constexpr __host__ __device__ unsigned ties_away(unsigned bits) { return rounded(bits, Half); }
};

}  // namespace __simulator_half
