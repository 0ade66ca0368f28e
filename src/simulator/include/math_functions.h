// The mathematics of device code.
//
// Rounding arithmetic, sqrt, rcp, fma and comparisons are exact as IEEE 754 has them. The transcendental
// functions in single precision go through PTX's approximations (ex2, lg2, sin, cos, tanh), which the
// simulated device computes with the host's mathematical library; expf and the __expf kind are therefore
// alike here. In double precision there are sqrt, fma, rounding and comparisons; exp, log, sin and
// the like in double precision are not covered.
//
// This header must come before <cmath>, as cuda_runtime.h sees to: the device overloads then take
// precedence over the constexpr functions of the standard library.
#pragma once
#pragma GCC system_header

#if defined(__CUDA__)

#include "host_defines.h"

// One PTX instruction each.

#define __simulator_math1(type, name, expression) \
  __simulator_device type name(type x) { return expression; }
#define __simulator_math2(type, name, expression) \
  __simulator_device type name(type x, type y) { return expression; }
#define __simulator_math3(type, name, expression) \
  __simulator_device type name(type x, type y, type z) { return expression; }

#define __simulator_rounded(type, prefix, letter, rounding, ptx)                              \
  __simulator_math2(type, __##prefix##add_##rounding, __nvvm_add_##ptx##_##letter(x, y))      \
  __simulator_math2(type, __##prefix##sub_##rounding, __nvvm_add_##ptx##_##letter(x, -y))     \
  __simulator_math2(type, __##prefix##mul_##rounding, __nvvm_mul_##ptx##_##letter(x, y))      \
  __simulator_math2(type, __##prefix##div_##rounding, __nvvm_div_##ptx##_##letter(x, y))      \
  __simulator_math1(type, __##prefix##rcp_##rounding, __nvvm_rcp_##ptx##_##letter(x))         \
  __simulator_math1(type, __##prefix##sqrt_##rounding, __nvvm_sqrt_##ptx##_##letter(x))
__simulator_rounded(float, f, f, rn, rn)
__simulator_rounded(float, f, f, rz, rz)
__simulator_rounded(float, f, f, ru, rp)
__simulator_rounded(float, f, f, rd, rm)
__simulator_rounded(double, d, d, rn, rn)
#undef __simulator_rounded

__simulator_math3(float, __fmaf_rn, __nvvm_fma_rn_f(x, y, z))
__simulator_math3(float, __fmaf_rz, __nvvm_fma_rz_f(x, y, z))
__simulator_math3(float, __fmaf_ru, __nvvm_fma_rp_f(x, y, z))
__simulator_math3(float, __fmaf_rd, __nvvm_fma_rm_f(x, y, z))
__simulator_math3(double, __fma_rn, __nvvm_fma_rn_d(x, y, z))
__simulator_math1(float, __frsqrt_rn, __nvvm_rsqrt_approx_f(x))
__simulator_math1(float, __saturatef, __nvvm_saturate_f(x))
__simulator_math2(float, __fdividef, __nvvm_div_approx_f(x, y))

// C's functions, and C++'s overloads without the f, for float and double.

#define __simulator_math_both1(name, builtin)                 \
  __simulator_math1(float, name##f, builtin##f(x))            \
  __simulator_math1(float, name, builtin##f(x))               \
  __simulator_math1(double, name, builtin(x))
#define __simulator_math_both2(name, builtin)                 \
  __simulator_math2(float, name##f, builtin##f(x, y))         \
  __simulator_math2(float, name, builtin##f(x, y))            \
  __simulator_math2(double, name, builtin(x, y))
__simulator_math_both1(sqrt, __builtin_sqrt)
__simulator_math_both1(fabs, __builtin_fabs)
__simulator_math_both1(floor, __builtin_floor)
__simulator_math_both1(ceil, __builtin_ceil)
__simulator_math_both1(trunc, __builtin_trunc)
__simulator_math_both1(rint, __builtin_rint)
__simulator_math_both1(nearbyint, __builtin_nearbyint)
__simulator_math_both1(round, __builtin_round)
__simulator_math_both2(fmin, __builtin_fmin)
__simulator_math_both2(fmax, __builtin_fmax)
__simulator_math_both2(copysign, __builtin_copysign)
#undef __simulator_math_both1
#undef __simulator_math_both2

__simulator_math3(float, fmaf, __nvvm_fma_rn_f(x, y, z))
__simulator_math3(float, fma, __nvvm_fma_rn_f(x, y, z))
__simulator_math3(double, fma, __nvvm_fma_rn_d(x, y, z))
__simulator_math1(float, rsqrtf, __nvvm_rsqrt_approx_f(x))
__simulator_math1(float, rsqrt, __nvvm_rsqrt_approx_f(x))
__simulator_math1(double, rsqrt, 1.0 / __builtin_sqrt(x))
__simulator_math1(int, abs, __builtin_abs(x))
__simulator_math1(long, labs, __builtin_labs(x))
__simulator_math1(long long, llabs, __builtin_llabs(x))

// Transcendental functions in single precision.

constexpr float __simulator_log2_e = 1.44269504f;
constexpr float __simulator_log2_10 = 3.32192809f;
constexpr float __simulator_ln_2 = 0.693147182f;
constexpr float __simulator_log10_2 = 0.301029996f;

/// 2^x.
__simulator_math1(float, exp2f, __nvvm_ex2_approx_f(x))
/// e^x as 2^n * 2^r with n the nearest whole number to x * log2(e): the product of x and the constant
/// would otherwise lose as many bits as n has. ln 2 is taken away in two parts (Cody and Waite, 1980).
__simulator_device float expf(float x) {
  const float n = __builtin_rintf(x * __simulator_log2_e);
  float r = __nvvm_fma_rn_f(n, -0.693145752f, x);
  r = __nvvm_fma_rn_f(n, -1.42860677e-6f, r);
  const float half = __builtin_truncf(n * 0.5f);  // 2^n itself may be outside the range of a float
  return __nvvm_ex2_approx_f(r * __simulator_log2_e) * __nvvm_ex2_approx_f(half) *
         __nvvm_ex2_approx_f(n - half);
}
__simulator_math1(float, exp10f, __nvvm_ex2_approx_f(x * __simulator_log2_10))
__simulator_math1(float, expm1f, expf(x) - 1.0f)
__simulator_math1(float, log2f, __nvvm_lg2_approx_f(x))
__simulator_math1(float, logf, __nvvm_lg2_approx_f(x) * __simulator_ln_2)
__simulator_math1(float, log10f, __nvvm_lg2_approx_f(x) * __simulator_log10_2)
__simulator_math1(float, log1pf, logf(1.0f + x))
__simulator_math1(float, sinf, __nvvm_sin_approx_f(x))
__simulator_math1(float, cosf, __nvvm_cos_approx_f(x))
__simulator_math1(float, tanf, __nvvm_sin_approx_f(x) / __nvvm_cos_approx_f(x))
__simulator_device void sincosf(float x, float* sine, float* cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}
__simulator_device float tanhf(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/// x^y; a negative x has a power only if y is a whole number.
__simulator_device float powf(float x, float y) {
  if (y == 0.0f || x == 1.0f) return 1.0f;
  const float magnitude = __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(__builtin_fabsf(x)));
  if (!__builtin_signbitf(x)) return magnitude;
  if (__builtin_truncf(y) != y) return x == 0.0f ? magnitude : __builtin_nanf("");
  const float half = y * 0.5f;
  return __builtin_truncf(half) == half ? magnitude : -magnitude;
}

// Compositions, to about a millionth; A&S is Abramowitz and Stegun, Handbook of Mathematical Functions, 1964.

__simulator_math1(float, coshf, 0.5f * (expf(x) + expf(-x)))
__simulator_device float sinhf(float x) {
  if (__builtin_fabsf(x) > 1.0f) return 0.5f * (expf(x) - expf(-x));
  const float s = x * x;  // the series: the difference of two exponentials would cancel
  return x + x * s * (1.0f / 6 + s * (1.0f / 120 + s * (1.0f / 5040 + s * (1.0f / 362880))));
}
__simulator_math1(float, cbrtf, __builtin_copysignf(powf(__builtin_fabsf(x), 1.0f / 3), x))
__simulator_device float hypotf(float x, float y) {
  return static_cast<float>(__builtin_sqrt(static_cast<double>(x) * x + static_cast<double>(y) * y));
}
/// The arc tangent of y / x, in the quadrant of (x, y). A&S 4.4.49 on [0, 1].
__simulator_device float atan2f(float y, float x) {
  const float ax = __builtin_fabsf(x);
  const float ay = __builtin_fabsf(y);
  const float larger = __builtin_fmaxf(ax, ay);
  const float t = larger == 0.0f ? 0.0f : __builtin_fminf(ax, ay) / larger;
  const float s = t * t;
  float angle = 0.0028662257f * s - 0.0161657367f;
  angle = angle * s + 0.0429096138f;
  angle = angle * s - 0.0752896400f;
  angle = angle * s + 0.1065626393f;
  angle = angle * s - 0.1420889944f;
  angle = angle * s + 0.1999355085f;
  angle = angle * s - 0.3333314528f;
  angle = angle * s + 1.0f;
  angle *= t;
  if (ay > ax) angle = 1.57079633f - angle;
  if (__builtin_signbitf(x)) angle = 3.14159265f - angle;
  return __builtin_copysignf(angle, y);
}
__simulator_math1(float, atanf, atan2f(x, 1.0f))
__simulator_math1(float, asinf, atan2f(x, __builtin_sqrtf((1.0f - x) * (1.0f + x))))
__simulator_math1(float, acosf, atan2f(__builtin_sqrtf((1.0f - x) * (1.0f + x)), x))
/// The error function: its series near 0, A&S 7.1.26 beyond.
__simulator_device float erff(float x) {
  const float a = __builtin_fabsf(x);
  const float s = x * x;
  if (a < 0.5f) {
    return 1.12837917f * x *
           (1 - s * (1.0f / 3 - s * (1.0f / 10 - s * (1.0f / 42 - s * (1.0f / 216)))));
  }
  const float t = 1.0f / (1.0f + 0.3275911f * a);
  const float tail =
      t * (0.254829592f +
           t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f))));
  return __builtin_copysignf(1.0f - tail * expf(-s), x);
}
/// The remainder of x / y with the sign of x, exactly: multiples of y are taken away 29 bits at a time, which
/// double precision does without rounding.
__simulator_device float fmodf(float x, float y) {
  const double divisor = __builtin_fabs(static_cast<double>(y));
  double rest = __builtin_fabs(static_cast<double>(x));
  if (!(divisor > 0) || !(rest <= 3.5e38)) return __builtin_nanf("");
  if (divisor > rest) return x;
  constexpr double step = 536870912;
  double multiple = divisor;
  while (multiple * step <= rest) multiple *= step;
  for (; multiple >= divisor; multiple /= step) {
    rest = __nvvm_fma_rn_d(-__builtin_trunc(rest / multiple), multiple, rest);
    if (rest < 0) rest += multiple;
  }
  return __builtin_copysignf(static_cast<float>(rest), x);
}
__simulator_device float ldexpf(float x, int exponent) {
  const int half = exponent / 2;  // 2^exponent itself may be outside the range of a float
  return x * __nvvm_ex2_approx_f(static_cast<float>(half)) *
         __nvvm_ex2_approx_f(static_cast<float>(exponent - half));
}
__simulator_device long lroundf(float x) { return static_cast<long>(__builtin_roundf(x)); }
__simulator_device long lrintf(float x) { return static_cast<long>(__builtin_rintf(x)); }

__simulator_math1(float, __expf, __nvvm_ex2_approx_f(x * __simulator_log2_e))
__simulator_math1(float, __exp10f, exp10f(x))
__simulator_math1(float, __log2f, log2f(x))
__simulator_math1(float, __logf, logf(x))
__simulator_math1(float, __log10f, log10f(x))
__simulator_math1(float, __sinf, sinf(x))
__simulator_math1(float, __cosf, cosf(x))
__simulator_math1(float, __tanf, tanf(x))
__simulator_math2(float, __powf, powf(x, y))

// The names without f: overloads for float. <cmath> brings them into namespace std.

#define __simulator_overload1(name) __simulator_math1(float, name, name##f(x))
__simulator_overload1(exp)
__simulator_overload1(exp2)
__simulator_overload1(expm1)
__simulator_overload1(log)
__simulator_overload1(log2)
__simulator_overload1(log10)
__simulator_overload1(log1p)
__simulator_overload1(sin)
__simulator_overload1(cos)
__simulator_overload1(tan)
__simulator_overload1(tanh)
__simulator_overload1(sinh)
__simulator_overload1(cosh)
__simulator_overload1(cbrt)
__simulator_overload1(atan)
__simulator_overload1(asin)
__simulator_overload1(acos)
__simulator_overload1(erf)
__simulator_math2(float, pow, powf(x, y))
__simulator_math2(float, atan2, atan2f(x, y))
__simulator_math2(float, fmod, fmodf(x, y))
__simulator_math2(float, hypot, hypotf(x, y))
#undef __simulator_overload1

#undef __simulator_math1
#undef __simulator_math2
#undef __simulator_math3

// min and max for every pair of equal types, on host and device as in CUDA.

#define __simulator_min_max(type)                                                    \
  __simulator_host_device type min(type x, type y) { return y < x ? y : x; }         \
  __simulator_host_device type max(type x, type y) { return x < y ? y : x; }
__simulator_min_max(int)
__simulator_min_max(unsigned int)
__simulator_min_max(long)
__simulator_min_max(unsigned long)
__simulator_min_max(long long)
__simulator_min_max(unsigned long long)
#undef __simulator_min_max
__simulator_host_device float min(float x, float y) { return __builtin_fminf(x, y); }
__simulator_host_device float max(float x, float y) { return __builtin_fmaxf(x, y); }
__simulator_host_device double min(double x, double y) { return __builtin_fmin(x, y); }
__simulator_host_device double max(double x, double y) { return __builtin_fmax(x, y); }
// As in C, an int beside an unsigned int is taken as unsigned, and a float beside a double as double.
__simulator_host_device unsigned int min(int x, unsigned int y) {
  return min(static_cast<unsigned int>(x), y);
}
__simulator_host_device unsigned int min(unsigned int x, int y) {
  return min(x, static_cast<unsigned int>(y));
}
__simulator_host_device unsigned int max(int x, unsigned int y) {
  return max(static_cast<unsigned int>(x), y);
}
__simulator_host_device unsigned int max(unsigned int x, int y) {
  return max(x, static_cast<unsigned int>(y));
}

#endif
