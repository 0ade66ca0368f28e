// The sums of atomics and of bulk reductions, with the bits of a GPU. The host's differ in subnormal numbers and NaN.
#pragma once

namespace simulator {

/// Returns a + b. A NaN has the bits 0x7fffffff.
float add_f32(float a, float b);
/// Returns a + b, but subnormal operands and a subnormal sum become zeros of the same sign. A NaN has the bits 0x7fffffff.
float add_f32_ftz(float a, float b);

/// Returns a + b. The sum of a NaN and a number is the NaN, made quiet.
double add_f64(double a, double b);
/// Returns a + b. The sum of a NaN and a number is the NaN, with all its bits.
double add_f64_as_is(double a, double b);

}  // namespace simulator
