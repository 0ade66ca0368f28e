#include "runner/verify/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace runner {
namespace {

// Returns the output function of SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom
// Number Generators", 2014): a bijection of 64 bits whose values for consecutive arguments look
// random.
uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace

uint64_t random_bits(uint64_t seed, uint64_t index) { return mix(mix(seed) + index); }

namespace {

// Returns the key of a row. Within the row the column is added to it.
uint64_t row_key(uint64_t seed, Operand operand, int64_t row) {
  return mix(random_bits(seed, static_cast<uint64_t>(operand)) ^ static_cast<uint64_t>(row));
}

using results::Data;

float uniform(uint64_t random) {
  return static_cast<float>(static_cast<int32_t>(random >> 32) >> 8) * 0x1p-23f;
}

// Returns a number uniform in [-largest, largest] up to a bias of 2^-32.
float integer_from(uint64_t random, int64_t largest) {
  const auto choices = static_cast<uint64_t>(2 * largest + 1);
  return static_cast<float>(static_cast<int64_t>(((random >> 32) * choices) >> 32) - largest);
}

// Returns a number of mean 0 and deviation 1 (Box and Muller).
double normal(uint64_t random) {
  const double u = (static_cast<double>(random >> 32) + 0.5) * 0x1p-32;
  const double v = static_cast<double>(random & 0xFFFFFFFFu) * 0x1p-32;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

constexpr double BINADES = 20;

float lognormal(uint64_t random) {
  const double exponent = std::clamp(BINADES / 6 * normal(random), -BINADES / 2, BINADES / 2);
  const double sign = (mix(random) & 1) != 0 ? -1 : 1;
  return static_cast<float>(sign * std::exp2(exponent));
}

float positive(uint64_t random) { return static_cast<float>((random >> 41) + 1) * 0x1p-23f; }

constexpr int LARGEST_EXPONENT = 60;
constexpr int64_t LARGEST_INTEGER = 4096;
constexpr float SMALL =
    0x1p-12f;  // the size of the terms that are left after terms near 1 have cancelled
// Gives the exponents of lines, and the places of special values, random numbers other than the elements'.
constexpr uint64_t OF_LINES = 0x5CA1AB1E00000000u;

constexpr uint64_t OF_PRODUCTS = 0xBA7C4ED000000000u;

constexpr int64_t LARGEST_B = 1;
constexpr int64_t LARGEST_C = 1023;

int exponent_of_line(uint64_t seed, Operand of, int64_t line) {
  constexpr auto CHOICES = static_cast<uint64_t>(2 * LARGEST_EXPONENT + 1);
  const uint64_t random =
      random_bits(seed ^ OF_LINES ^ static_cast<uint64_t>(of), static_cast<uint64_t>(line));
  return static_cast<int>(random % CHOICES) - LARGEST_EXPONENT;
}

// Returns the seed of a product of a batch. Product 0 has the batch's own.
uint64_t seed_of_product(uint64_t seed, int64_t product) {
  return product == 0 ? seed : random_bits(seed ^ OF_PRODUCTS, static_cast<uint64_t>(product));
}

// Keeps 0 and 1, because kernels have special paths for them and none for other values.
float integer_in_place_of(float factor, float other) {
  return factor == 0.0f || factor == 1.0f ? factor : other;
}

}  // namespace

Inputs::Inputs(const results::Problem& problem, Values values, const ladder::Arithmetic& arithmetic,
               int64_t product)
    : values_(values),
      data_(problem.data),
      K_(problem.K),
      seeds_{problem.seed, seed_of_product(problem.seed, problem.stride_a == 0 ? 0 : product),
             seed_of_product(problem.seed, problem.stride_b == 0 ? 0 : product),
             seed_of_product(problem.seed, product)},
      largest_a_(std::clamp<int64_t>((int64_t{1} << 22) / std::max<int64_t>(1, problem.K), 1,
                                     (int64_t{1} << arithmetic.exact_bits) - 1)),
      largest_input_(arithmetic.largest_input),
      least_input_(arithmetic.least_input),
      alpha_(values == Values::reals ? problem.alpha : integer_in_place_of(problem.alpha, 2.0f)),
      beta_(values == Values::reals ? problem.beta : integer_in_place_of(problem.beta, -1.0f)) {}

int64_t Inputs::largest(Operand operand) const {
  switch (operand) {
    case Operand::A:
      return largest_a_;
    case Operand::B:
      return LARGEST_B;
    case Operand::C:
      break;
  }
  return LARGEST_C;
}

float Inputs::at(Operand operand, int64_t row, int64_t col) const {
  const uint64_t random = mix(row_key(seed_of(operand), operand, row) + static_cast<uint64_t>(col));
  return values_ == Values::reals ? real(operand, row, col, random)
                                  : integer_from(random, largest(operand));
}

float Inputs::real(Operand operand, int64_t row, int64_t col, uint64_t random) const {
  switch (data_) {
    case Data::uniform:
      break;
    case Data::normal:
      return static_cast<float>(normal(random));
    case Data::lognormal:
      return lognormal(random);
    case Data::scaled: {
      const int of_row = operand == Operand::B ? 0 : exponent(Operand::A, row);
      const int of_col = operand == Operand::A ? 0 : exponent(Operand::B, col);
      return std::ldexp(uniform(random), of_row + of_col);
    }
    case Data::inner_scaled:
      if (operand == Operand::A) return std::ldexp(uniform(random), inner_exponent(col));
      if (operand == Operand::B) return std::ldexp(uniform(random), -inner_exponent(row));
      break;
    case Data::cancelling:
      return cancelling(operand, row, col);
    case Data::integers:
      return integer_from(random, LARGEST_INTEGER);
    case Data::positive:
      return positive(random);
    case Data::special:
      if (operand == Operand::A) return in_range(special(operand, row, col, random));
      if (operand == Operand::B) return in_range(special(operand, col, row, random));
      break;
  }
  return uniform(random);
}

double Inputs::unit(int64_t row, int64_t col) const {
  if (data_ != Data::scaled || values_ != Values::reals) return 1;
  return std::ldexp(1.0, exponent(Operand::A, row) + exponent(Operand::B, col));
}

// Returns the exponent of a row or a column.
int Inputs::exponent(Operand of, int64_t line) const {
  return exponent_of_line(seed_of(of), of, line);
}

// Returns the exponent that belongs to a k. All products of a batch have the same, since some share A or B.
int Inputs::inner_exponent(int64_t k) const {
  return exponent_of_line(seeds_.front(), Operand::A, k);
}

float Inputs::cancelling(Operand operand, int64_t row, int64_t col) const {
  const int64_t half = K_ / 2;
  const auto of = [&](int64_t at_row, int64_t at_col) {
    return uniform(mix(row_key(seed_of(operand), operand, at_row) + static_cast<uint64_t>(at_col)));
  };
  const bool is_second = row >= half && row < 2 * half;
  switch (operand) {
    case Operand::A:
      return of(row, col >= half && col < 2 * half ? col - half : col);
    case Operand::B:
      if (row < half) return of(row, col);
      return is_second ? SMALL * of(row, col) - of(row - half, col) : SMALL * of(row, col);
    case Operand::C:
      break;
  }
  return SMALL * of(row, col);
}

// Returns element k of a row of A or of a column of B.
float Inputs::special(Operand operand, int64_t line, int64_t k, uint64_t random) const {
  constexpr float INFINITE = std::numeric_limits<float>::infinity();
  const auto line_key = 2 * static_cast<uint64_t>(line) + (operand == Operand::A ? 0 : 1);
  const auto place = [&](int which) {
    const uint64_t bits =
        random_bits(seed_of(operand) ^ OF_LINES, 2 * line_key + static_cast<uint64_t>(which));
    return static_cast<int64_t>(bits % static_cast<uint64_t>(std::max<int64_t>(1, K_)));
  };
  const float usual = uniform(random);
  switch (line % SPECIAL_KINDS) {
    case 1:
      return k == place(0) ? std::numeric_limits<float>::quiet_NaN() : usual;
    case 2:
      return k == place(0) ? INFINITE : usual;
    case 3:
      return k == place(0) ? -INFINITE : usual;
    case 4:
      return k == place(0) ? INFINITE : k == place(1) ? -INFINITE : usual;
    case 5:
      return usual * std::numeric_limits<float>::min();  // subnormal
    case 6:
      return usual * std::numeric_limits<float>::max();
    case 7:  // any exponent, down to the least subnormal number
      return std::ldexp(1 + std::abs(usual), static_cast<int>(mix(random) % 276) - 149) *
             (usual < 0 ? -1.0f : 1.0f);
    case 8:
      return usual < 0 ? -0.0f : 0.0f;
    case 9:
      return usual * 0x1p-100f;
    default:
      return usual;
  }
}

// Moves a finite number into the arithmetic's range.
float Inputs::in_range(float x) const {
  const float magnitude = std::abs(x);
  if (magnitude < least_input_) return std::copysign(0.0f, x);
  return std::isfinite(x) ? std::copysign(std::min(magnitude, largest_input_), x) : x;
}

void Inputs::fill_row(Operand operand, int64_t row, std::span<float> out) const {
  const uint64_t key = row_key(seed_of(operand), operand, row);
  const auto fill = [&](auto value_from) {
    for (size_t col = 0; col < out.size(); ++col) out[col] = value_from(mix(key + col));
  };
  if (values_ == Values::reals) {
    if (data_ == Data::uniform) return fill(uniform);
    for (size_t col = 0; col < out.size(); ++col)
      out[col] = real(operand, row, static_cast<int64_t>(col), mix(key + col));
  } else {
    fill([bound = largest(operand)](uint64_t random) { return integer_from(random, bound); });
  }
}

void Inputs::fill_col(Operand operand, int64_t col, std::span<float> out) const {
  for (size_t row = 0; row < out.size(); ++row)
    out[row] = at(operand, static_cast<int64_t>(row), col);
}

}  // namespace runner
