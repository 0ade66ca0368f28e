// The mathematics of device code: CUDA's single- and double-precision functions, and the intrinsics with two
// underscores.
//
// Functions that PTX computes exactly (sqrt, fma, rounding, comparisons) are PTX. Every other function with an
// error bound of CUDA's is one call of a function without a body, __simulator_math_NAME_f32 or _f64. The
// simulated device executes it as one instruction, with the host's libm in a wider format (mathematics.cpp). The
// result is within CUDA's bound, and commonly the nearest number. The fast functions, __expf and similar, are
// PTX's approximations, as on a device; so is rsqrtf.
//
// This header must come before <cmath>, which cuda_runtime.h ensures. <cmath> then brings the device overloads
// into namespace std. Its own templates for mixed types, such as pow(float, int), call them there. If an overload
// is missing, such a template calls itself for ever.
#pragma once
#pragma GCC system_header

#if defined(__CUDA__)

#include <features.h>

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
#define __simulator_rounded_both(rounding, ptx)                                               \
  __simulator_rounded(float, f, f, rounding, ptx)                                             \
  __simulator_rounded(double, d, d, rounding, ptx)                                            \
  __simulator_math3(float, __fmaf_##rounding, __nvvm_fma_##ptx##_f(x, y, z))                  \
  __simulator_math3(double, __fma_##rounding, __nvvm_fma_##ptx##_d(x, y, z))
__simulator_rounded_both(rn, rn)
__simulator_rounded_both(rz, rz)
__simulator_rounded_both(ru, rp)
__simulator_rounded_both(rd, rm)
#undef __simulator_rounded
#undef __simulator_rounded_both

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
// The least int has no positive counterpart, and abs() returns it unchanged: clang must not assume that this
// input never occurs.
__simulator_math1(int, abs, static_cast<int>(x < 0 ? 0u - x : x))
__simulator_math1(long, abs, static_cast<long>(x < 0 ? 0ul - x : x))
__simulator_math1(long long, abs, static_cast<long long>(x < 0 ? 0ull - x : x))
__simulator_math1(float, abs, __builtin_fabsf(x))
__simulator_math1(double, abs, __builtin_fabs(x))
__simulator_math1(long, labs, abs(x))
__simulator_math1(long long, llabs, abs(x))
__simulator_device float nanf(const char*) { return __builtin_nanf(""); }
__simulator_device double nan(const char*) { return __builtin_nan(""); }

// The functions that are one instruction of the simulated device. `const`: the result depends on the arguments
// alone, so the compiler may remove an unused call.

#define __simulator_instruction(result, name, ...) \
  extern "C" __device__ __attribute__((const)) result __simulator_math_##name(__VA_ARGS__);

/// Enables the overload of a one-number function for integers: it calls the function for double.
template <typename T, bool = __is_integral(T)>
struct __simulator_integer {};
template <typename T>
struct __simulator_integer<T, true> {
  typedef double to_double;
  typedef int to_int;
  typedef long to_long;
  typedef long long to_long_long;
};
#define __simulator_for_integers(result, name)                                          \
  template <typename T>                                                                 \
  __simulator_device typename __simulator_integer<T>::to_##result name(T x) {           \
    return name(static_cast<double>(x));                                                \
  }

#define __simulator_function1(name)                                                     \
  __simulator_instruction(float, name##_f32, float)                                     \
  __simulator_instruction(double, name##_f64, double)                                   \
  __simulator_math1(float, name##f, __simulator_math_##name##_f32(x))                   \
  __simulator_math1(float, name, __simulator_math_##name##_f32(x))                      \
  __simulator_math1(double, name, __simulator_math_##name##_f64(x))                     \
  __simulator_for_integers(double, name)
#define __simulator_function2(name)                                                     \
  __simulator_instruction(float, name##_f32, float, float)                              \
  __simulator_instruction(double, name##_f64, double, double)                           \
  __simulator_math2(float, name##f, __simulator_math_##name##_f32(x, y))                \
  __simulator_math2(float, name, __simulator_math_##name##_f32(x, y))                   \
  __simulator_math2(double, name, __simulator_math_##name##_f64(x, y))

__simulator_function1(acos)
__simulator_function1(acosh)
__simulator_function1(asin)
__simulator_function1(asinh)
__simulator_function1(atan)
__simulator_function1(atanh)
__simulator_function1(cbrt)
__simulator_function1(cos)
__simulator_function1(cosh)
__simulator_function1(erf)
__simulator_function1(erfc)
__simulator_function1(exp)
__simulator_function1(exp10)
__simulator_function1(exp2)
__simulator_function1(expm1)
__simulator_function1(j0)
__simulator_function1(j1)
__simulator_function1(lgamma)
__simulator_function1(log)
__simulator_function1(log10)
__simulator_function1(log1p)
__simulator_function1(log2)
__simulator_function1(logb)
__simulator_function1(sin)
__simulator_function1(sinh)
__simulator_function1(tan)
__simulator_function1(tanh)
__simulator_function1(tgamma)
__simulator_function1(y0)
__simulator_function1(y1)
__simulator_function2(atan2)
__simulator_function2(fmod)
__simulator_function2(hypot)
__simulator_function2(nextafter)
__simulator_function2(pow)
__simulator_function2(remainder)

// CUDA's own functions, which the host's libm lacks. As with nvcc, host code has them too.

#define __simulator_own_function(count, name)                                                  \
  __simulator_own_instruction##count(float, name##_f32)                                        \
  __simulator_own_instruction##count(double, name##_f64)                                       \
  __simulator_own##count(float, name##f, __simulator_math_##name##_f32)                        \
  __simulator_own##count(float, name, __simulator_math_##name##_f32)                           \
  __simulator_own##count(double, name, __simulator_math_##name##_f64)
// The same for a name that newer versions of glibc (GLIBC_MINOR) have too, for float with an f and for double. There host code has
// glibc's, and device code an overload.
#define __simulator_shared_function(name, minor)                                               \
  __simulator_own_instruction1(float, name##_f32)                                              \
  __simulator_own_instruction1(double, name##_f64)                                             \
  __simulator_shared(minor, float, name##f, __simulator_math_##name##_f32)                     \
  __simulator_own1(float, name, __simulator_math_##name##_f32)                                 \
  __simulator_shared(minor, double, name, __simulator_math_##name##_f64)
#define __simulator_shared(minor, type, name, function) \
  __simulator_since_##minor type name(type x) { return function(x); }
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 41)
#define __simulator_since_41 __simulator_device
#endif
#if __GLIBC_PREREQ(2, 42)
#define __simulator_since_42 __simulator_device
#endif
#endif
#ifndef __simulator_since_41
#define __simulator_since_41 __simulator_host_device
#endif
#ifndef __simulator_since_42
#define __simulator_since_42 __simulator_host_device
#endif

#define __simulator_own_instruction(type, name, ...) \
  extern "C" __host__ __device__ __attribute__((const)) type __simulator_math_##name(__VA_ARGS__);
#define __simulator_own_instruction1(type, name) __simulator_own_instruction(type, name, type)
#define __simulator_own_instruction2(type, name) __simulator_own_instruction(type, name, type, type)
#define __simulator_own_instruction3(type, name) \
  __simulator_own_instruction(type, name, type, type, type)
#define __simulator_own_instruction4(type, name) \
  __simulator_own_instruction(type, name, type, type, type, type)
#define __simulator_own1(type, name, function) \
  __simulator_host_device type name(type x) { return function(x); }
#define __simulator_own2(type, name, function) \
  __simulator_host_device type name(type x, type y) { return function(x, y); }
#define __simulator_own3(type, name, function) \
  __simulator_host_device type name(type x, type y, type z) { return function(x, y, z); }
#define __simulator_own4(type, name, function) \
  __simulator_host_device type name(type x, type y, type z, type t) { return function(x, y, z, t); }

__simulator_shared_function(cospi, 41)
__simulator_own_function(1, cyl_bessel_i0)
__simulator_own_function(1, cyl_bessel_i1)
__simulator_own_function(1, erfcinv)
__simulator_own_function(1, erfcx)
__simulator_own_function(1, erfinv)
__simulator_own_function(1, normcdf)
__simulator_own_function(1, normcdfinv)
__simulator_own_function(1, rcbrt)
__simulator_shared_function(sinpi, 41)
__simulator_own_function(2, rhypot)

// The Euclidean norms. norm3df is the function for float.
__simulator_own_instruction3(float, norm3d_f32)
__simulator_own_instruction3(double, norm3d_f64)
__simulator_own_instruction3(float, rnorm3d_f32)
__simulator_own_instruction3(double, rnorm3d_f64)
__simulator_own_instruction4(float, norm4d_f32)
__simulator_own_instruction4(double, norm4d_f64)
__simulator_own_instruction4(float, rnorm4d_f32)
__simulator_own_instruction4(double, rnorm4d_f64)
__simulator_own3(float, norm3df, __simulator_math_norm3d_f32)
__simulator_own3(double, norm3d, __simulator_math_norm3d_f64)
__simulator_own3(float, rnorm3df, __simulator_math_rnorm3d_f32)
__simulator_own3(double, rnorm3d, __simulator_math_rnorm3d_f64)
__simulator_own4(float, norm4df, __simulator_math_norm4d_f32)
__simulator_own4(double, norm4d, __simulator_math_norm4d_f64)
__simulator_own4(float, rnorm4df, __simulator_math_rnorm4d_f32)
__simulator_own4(double, rnorm4d, __simulator_math_rnorm4d_f64)
__simulator_device float normf(int dimensions, const float* p) {
  float sum = 0;
  for (int i = 0; i < dimensions; ++i) sum = hypotf(sum, p[i]);
  return sum;
}
__simulator_device double norm(int dimensions, const double* p) {
  double sum = 0;
  for (int i = 0; i < dimensions; ++i) sum = hypot(sum, p[i]);
  return sum;
}
__simulator_device float rnormf(int dimensions, const float* p) { return 1.0f / normf(dimensions, p); }
__simulator_device double rnorm(int dimensions, const double* p) { return 1.0 / norm(dimensions, p); }

// The root's reciprocal. PTX has it in single precision.
__simulator_own_instruction1(float, rsqrt_f32)
__simulator_own_instruction1(double, rsqrt_f64)
__simulator_shared(42, double, rsqrt, __simulator_math_rsqrt_f64)
__simulator_host_device float __simulator_rsqrt(float x) {
#if defined(__CUDA_ARCH__)
  return __nvvm_rsqrt_approx_f(x);
#else
  return __simulator_math_rsqrt_f32(x);
#endif
}
__simulator_host_device float rsqrt(float x) { return __simulator_rsqrt(x); }
__simulator_shared(42, float, rsqrtf, __simulator_rsqrt)

#undef __simulator_own_function
#undef __simulator_shared_function
#undef __simulator_shared
#undef __simulator_since_41
#undef __simulator_since_42
#undef __simulator_own_instruction
#undef __simulator_own_instruction1
#undef __simulator_own_instruction2
#undef __simulator_own_instruction3
#undef __simulator_own_instruction4
#undef __simulator_own1
#undef __simulator_own2
#undef __simulator_own3
#undef __simulator_own4

// Functions with an integer in their signature.

#define __simulator_function_of_order(name)                                                      \
  __simulator_instruction(float, name##_f32, int, float)                                         \
  __simulator_instruction(double, name##_f64, int, double)                                       \
  __simulator_device float name##f(int n, float x) { return __simulator_math_##name##_f32(n, x); } \
  __simulator_device float name(int n, float x) { return __simulator_math_##name##_f32(n, x); }  \
  __simulator_device double name(int n, double x) { return __simulator_math_##name##_f64(n, x); }
__simulator_function_of_order(jn)
__simulator_function_of_order(yn)
#undef __simulator_function_of_order

__simulator_instruction(float, ldexp_f32, float, int)
__simulator_instruction(double, ldexp_f64, double, int)
#define __simulator_scale(name, exponent_type, exponent)                                           \
  __simulator_device float name##f(float x, exponent_type n) {                                     \
    return __simulator_math_ldexp_f32(x, exponent);                                                \
  }                                                                                                \
  __simulator_device float name(float x, exponent_type n) {                                        \
    return __simulator_math_ldexp_f32(x, exponent);                                                \
  }                                                                                                \
  __simulator_device double name(double x, exponent_type n) {                                      \
    return __simulator_math_ldexp_f64(x, exponent);                                                \
  }                                                                                                \
  template <typename T>                                                                            \
  __simulator_device typename __simulator_integer<T>::to_double name(T x, exponent_type n) {       \
    return name(static_cast<double>(x), n);                                                        \
  }
__simulator_scale(ldexp, int, n)
__simulator_scale(scalbn, int, n)
// 10,000 exceeds every binary exponent.
__simulator_scale(scalbln, long, static_cast<int>(n > 10000 ? 10000 : n < -10000 ? -10000 : n))
#undef __simulator_scale

__simulator_instruction(int, ilogb_f32, float)
__simulator_instruction(int, ilogb_f64, double)
__simulator_device int ilogbf(float x) { return __simulator_math_ilogb_f32(x); }
__simulator_device int ilogb(float x) { return __simulator_math_ilogb_f32(x); }
__simulator_device int ilogb(double x) { return __simulator_math_ilogb_f64(x); }
__simulator_for_integers(int, ilogb)

#define __simulator_to_integer(type, result, name, rounded)                                        \
  __simulator_device type name##f(float x) { return __nvvm_f2ll_rn(rounded(x)); }                  \
  __simulator_device type name(float x) { return __nvvm_f2ll_rn(rounded(x)); }                     \
  __simulator_device type name(double x) { return __nvvm_d2ll_rn(rounded(x)); }                    \
  __simulator_for_integers(result, name)
__simulator_to_integer(long, long, lrint, )
__simulator_to_integer(long long, long_long, llrint, )
__simulator_to_integer(long, long, lround, round)
__simulator_to_integer(long long, long_long, llround, round)
#undef __simulator_to_integer

/// Returns x - y, or 0 if x - y is negative. NaN passes through.
__simulator_math2(float, fdimf, x <= y ? 0.0f : x - y)
__simulator_math2(float, fdim, x <= y ? 0.0f : x - y)
__simulator_math2(double, fdim, x <= y ? 0.0 : x - y)

// Functions with two results: the second goes through a pointer.

#define __simulator_both_results(type, suffix, f)                                                  \
  __simulator_instruction(type, frexp_fraction_##suffix, type)                                     \
  __simulator_instruction(int, frexp_exponent_##suffix, type)                                      \
  __simulator_instruction(int, remquo_quotient_##suffix, type, type)                               \
  __simulator_device type frexp##f(type x, int* exponent) {                                        \
    *exponent = __simulator_math_frexp_exponent_##suffix(x);                                       \
    return __simulator_math_frexp_fraction_##suffix(x);                                            \
  }                                                                                                \
  __simulator_device type modf##f(type x, type* whole) {                                           \
    const type truncated = trunc(x);                                                               \
    *whole = truncated;                                                                            \
    return copysign(__builtin_isinf(x) ? type{0} : x - truncated, x);                              \
  }                                                                                                \
  __simulator_device type remquo##f(type x, type y, int* quotient) {                               \
    *quotient = __simulator_math_remquo_quotient_##suffix(x, y);                                   \
    return __simulator_math_remainder_##suffix(x, y);                                              \
  }                                                                                                \
  __simulator_device void sincos##f(type x, type* sine, type* cosine) {                            \
    *sine = __simulator_math_sin_##suffix(x);                                                      \
    *cosine = __simulator_math_cos_##suffix(x);                                                    \
  }                                                                                                \
  __simulator_host_device void sincospi##f(type x, type* sine, type* cosine) {                     \
    *sine = __simulator_math_sinpi_##suffix(x);                                                    \
    *cosine = __simulator_math_cospi_##suffix(x);                                                  \
  }
__simulator_both_results(float, f32, f)
__simulator_both_results(double, f64, )
#undef __simulator_both_results
__simulator_device float frexp(float x, int* exponent) { return frexpf(x, exponent); }
__simulator_device float modf(float x, float* whole) { return modff(x, whole); }
__simulator_device float remquo(float x, float y, int* quotient) { return remquof(x, y, quotient); }
/// libstdc++ has templates for mixed types that the device can call, except for this function.
template <typename First, typename Second, bool = !__is_same(First, Second) || __is_integral(First)>
struct __simulator_mixed {};
template <typename First, typename Second>
struct __simulator_mixed<First, Second, true> {
  typedef double type;
};
template <typename First, typename Second>
__simulator_device typename __simulator_mixed<First, Second>::type remquo(First x, Second y, int* quotient) {
  return remquo(static_cast<double>(x), static_cast<double>(y), quotient);
}
__simulator_device void sincos(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
__simulator_host_device void sincospi(float x, float* sine, float* cosine) {
  sincospif(x, sine, cosine);
}
template <typename T>
__simulator_device typename __simulator_integer<T>::to_double frexp(T x, int* exponent) {
  return frexp(static_cast<double>(x), exponent);
}

// The fast functions: PTX's approximations, with at most one product more.

constexpr float __simulator_log2_e = 1.44269504f;
constexpr float __simulator_log2_10 = 3.32192809f;
constexpr float __simulator_ln_2 = 0.693147182f;
constexpr float __simulator_log10_2 = 0.301029996f;

__simulator_math1(float, __expf, __nvvm_ex2_approx_f(x * __simulator_log2_e))
__simulator_math1(float, __exp10f, __nvvm_ex2_approx_f(x * __simulator_log2_10))
__simulator_math1(float, __log2f, __nvvm_lg2_approx_f(x))
__simulator_math1(float, __logf, __nvvm_lg2_approx_f(x) * __simulator_ln_2)
__simulator_math1(float, __log10f, __nvvm_lg2_approx_f(x) * __simulator_log10_2)
__simulator_math1(float, __sinf, __nvvm_sin_approx_f(x))
__simulator_math1(float, __cosf, __nvvm_cos_approx_f(x))
__simulator_math1(float, __tanf, __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x)))
__simulator_math2(float, __powf, __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)))
__simulator_math2(float, __fdividef, __nvvm_div_approx_f(x, y))
__simulator_math2(float, fdividef, x / y)
__simulator_math1(float, __saturatef, __nvvm_saturate_f(x))
__simulator_math1(float, __frsqrt_rn, __simulator_math_rsqrt_f32(x))
__simulator_device float __tanhf(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__simulator_device void __sincosf(float x, float* sine, float* cosine) {
  *sine = __sinf(x);
  *cosine = __cosf(x);
}

#undef __simulator_function1
#undef __simulator_function2
#undef __simulator_instruction
#undef __simulator_for_integers
#undef __simulator_math1
#undef __simulator_math2
#undef __simulator_math3

// The classes of floating-point numbers, under the names in C libraries.

#define __simulator_classes(type, f)                                                            \
  __simulator_device int __isnan##f(type x) { return __builtin_isnan(x); }                      \
  __simulator_device int __isinf##f(type x) { return __builtin_isinf(x); }                      \
  __simulator_device int __finite##f(type x) { return __builtin_isfinite(x); }                  \
  __simulator_device int __signbit##f(type x) { return __builtin_signbit(x) != 0; }
__simulator_classes(float, f)
__simulator_classes(double, )
#undef __simulator_classes

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
// As in C, signed and unsigned arguments together count as unsigned, and float and double together as double.
__simulator_host_device double min(float x, double y) { return __builtin_fmin(x, y); }
__simulator_host_device double min(double x, float y) { return __builtin_fmin(x, y); }
__simulator_host_device double max(float x, double y) { return __builtin_fmax(x, y); }
__simulator_host_device double max(double x, float y) { return __builtin_fmax(x, y); }
#define __simulator_min_max_mixed(type)                                                        \
  __simulator_host_device unsigned type min(type x, unsigned type y) {                         \
    return min(static_cast<unsigned type>(x), y);                                              \
  }                                                                                            \
  __simulator_host_device unsigned type min(unsigned type x, type y) {                         \
    return min(x, static_cast<unsigned type>(y));                                              \
  }                                                                                            \
  __simulator_host_device unsigned type max(type x, unsigned type y) {                         \
    return max(static_cast<unsigned type>(x), y);                                              \
  }                                                                                            \
  __simulator_host_device unsigned type max(unsigned type x, type y) {                         \
    return max(x, static_cast<unsigned type>(y));                                              \
  }
__simulator_min_max_mixed(int)
__simulator_min_max_mixed(long)
__simulator_min_max_mixed(long long)
#undef __simulator_min_max_mixed
// The same with the type in the name.
__simulator_host_device unsigned int umin(unsigned int x, unsigned int y) { return min(x, y); }
__simulator_host_device unsigned int umax(unsigned int x, unsigned int y) { return max(x, y); }
__simulator_host_device long long llmin(long long x, long long y) { return min(x, y); }
__simulator_host_device long long llmax(long long x, long long y) { return max(x, y); }
__simulator_host_device unsigned long long ullmin(unsigned long long x, unsigned long long y) {
  return min(x, y);
}
__simulator_host_device unsigned long long ullmax(unsigned long long x, unsigned long long y) {
  return max(x, y);
}

#endif
