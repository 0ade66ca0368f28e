#include "runner/verify/inputs.hpp"

#include <algorithm>
#include <cmath>

namespace runner {
namespace {

// The output function of SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
// Generators", 2014): a bijection of 64 bits whose values for consecutive arguments look random.
uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace

uint64_t random_bits(uint64_t seed, uint64_t index) { return mix(mix(seed) + index); }

namespace {

// Every row has a key of its own; within the row the column counts on from it.
uint64_t row_key(uint64_t seed, Operand operand, int64_t row) {
  return mix(random_bits(seed, static_cast<uint64_t>(operand)) ^ static_cast<uint64_t>(row));
}

float real_from(uint64_t random) {
  return static_cast<float>(static_cast<int32_t>(random >> 32) >> 8) * 0x1p-23f;
}

// Uniform in [-largest, largest] up to a bias of 2^-32.
float integer_from(uint64_t random, int64_t largest) {
  const auto choices = static_cast<uint64_t>(2 * largest + 1);
  return static_cast<float>(static_cast<int64_t>(((random >> 32) * choices) >> 32) - largest);
}

constexpr int64_t LARGEST_B = 1;
constexpr int64_t LARGEST_C = 1023;

// Kernels have special paths for 0 and 1 and none for other values.
float integer_in_place_of(float factor, float other) {
  return factor == 0.0f || factor == 1.0f ? factor : other;
}

}  // namespace

Inputs::Inputs(const results::Problem& problem, Values values, const ladder::Arithmetic& arithmetic)
    : values_(values),
      seed_(problem.seed),
      largest_a_(std::clamp<int64_t>((int64_t{1} << 22) / std::max<int64_t>(1, problem.K), 1,
                                     (int64_t{1} << arithmetic.exact_bits) - 1)),
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
  const uint64_t random = mix(row_key(seed_, operand, row) + static_cast<uint64_t>(col));
  return values_ == Values::reals ? real_from(random) : integer_from(random, largest(operand));
}

void Inputs::fill_row(Operand operand, int64_t row, std::span<float> out) const {
  const uint64_t key = row_key(seed_, operand, row);
  const auto fill = [&](auto value_from) {
    for (size_t col = 0; col < out.size(); ++col) out[col] = value_from(mix(key + col));
  };
  if (values_ == Values::reals) {
    fill(real_from);
  } else {
    fill([bound = largest(operand)](uint64_t random) { return integer_from(random, bound); });
  }
}

}  // namespace runner
