#include "simulator/execute/scalar/float_sums.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace simulator {
namespace {

float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

}  // namespace

float add_f32(float a, float b) {
  constexpr uint32_t COMPUTED_NAN = 0x7fffffff;
  const float sum = a + b;
  return std::isnan(sum) ? std::bit_cast<float>(COMPUTED_NAN) : sum;
}

float add_f32_ftz(float a, float b) { return flushed(add_f32(flushed(a), flushed(b))); }

double add_f64(double a, double b) { return a + b; }

double add_f64_as_is(double a, double b) {
  if (std::isnan(a)) return a;
  return std::isnan(b) ? b : add_f64(a, b);
}

}  // namespace simulator
