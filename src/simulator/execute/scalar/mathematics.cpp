#include "simulator/execute/scalar/mathematics.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "simulator/execute/state/warp.hpp"

// A Bessel function near a root keeps few correct bits of the working precision. For double only 113 bits leave
// enough. glibc has such functions on x86-64, but does not declare them to clang.
#if defined(__SIZEOF_FLOAT128__)
using Binary128 = __float128;
extern "C" {
Binary128 j0f128(Binary128);
Binary128 j1f128(Binary128);
Binary128 jnf128(int, Binary128);
Binary128 y0f128(Binary128);
Binary128 y1f128(Binary128);
Binary128 ynf128(int, Binary128);
}
#else
using Binary128 = long double;  // as on aarch64, where glibc declares the functions for it
#endif

namespace simulator {
namespace {

// The format in which a function of T is computed. Its extra bits (29 and 11) absorb libm's error.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;

using Extended = long double;

constexpr Extended PI = std::numbers::pi_v<Extended>;
constexpr Extended SQRT_PI = 1 / std::numbers::inv_sqrtpi_v<Extended>;
constexpr Extended INFINITE = std::numeric_limits<Extended>::infinity();
constexpr Extended NOT_A_NUMBER = std::numeric_limits<Extended>::quiet_NaN();

// --- functions that libm lacks --------------------------------------------------------------------

// Returns sin(pi x). The reduction is exact, so whole numbers give 0 and halves give 1 or -1.
Extended sine_of_half_turns(Extended x) {
  Extended r = std::remainder(x, Extended{2});
  if (std::fabs(r) > 0.5L) r = std::copysign(Extended{1}, r) - r;
  if (r == 0) return std::copysign(r, x);
  if (std::fabs(r) <= 0.25L) return std::sin(PI * r);
  return std::copysign(std::cos(PI * (0.5L - std::fabs(r))), r);
}

Extended cosine_of_half_turns(Extended x) {
  const Extended r = std::fabs(std::remainder(x, Extended{2}));
  if (r <= 0.25L) return std::cos(PI * r);
  if (r < 0.75L) return std::sin(PI * (0.5L - r));
  return -std::cos(PI * (1 - r));
}

// Returns one Halley step towards a root. The function's second derivative is -2y times its first, as for erf and
// erfc. `newton` is the function's value over its derivative.
Extended halley(Extended y, Extended newton) { return y - newton / (1 + y * newton); }

// Returns the slope of erf.
Extended bell(Extended y) { return 2 / SQRT_PI * std::exp(-y * y); }

// Returns the y with erf(y) = z, for |z| <= 1/2. The first guess is right to 7 %, and each step triples the
// digits.
Extended inverse_erf_near_zero(Extended z) {
  Extended y = z * SQRT_PI / 2;
  for (int step = 0; step < 4; ++step) y = halley(y, (std::erf(y) - z) / bell(y));
  return y;
}

// Returns the y with erfc(y) = p, for 0 < p <= 1/2. The first guess is 26.2.23 in Abramowitz and Stegun, Handbook
// of Mathematical Functions (1964), right to 5e-4, for the normal distribution's tail.
Extended inverse_erfc_of_tail(Extended p) {
  const Extended t = std::sqrt(-2 * std::log(p / 2));
  const Extended quantile = t - (2.515517L + t * (0.802853L + t * 0.010328L)) /
                                    (1 + t * (1.432788L + t * (0.189269L + t * 0.001308L)));
  Extended y = quantile / std::numbers::sqrt2_v<Extended>;
  for (int step = 0; step < 3; ++step) y = halley(y, (p - std::erfc(y)) / bell(y));
  return y;
}

// Below, 1 - |z|, 2 - p and 1 - p lose nothing: they are used only if the difference is exact.

Extended inverse_erf(Extended z) {
  const Extended magnitude = std::fabs(z);
  if (magnitude <= 0.5L) return inverse_erf_near_zero(z);
  if (magnitude < 1) return std::copysign(inverse_erfc_of_tail(1 - magnitude), z);
  return magnitude == 1 ? std::copysign(INFINITE, z) : NOT_A_NUMBER;
}

Extended inverse_erfc(Extended p) {
  if (p >= 0.5L && p <= 1.5L) return inverse_erf_near_zero(1 - p);
  if (p == 0) return INFINITE;
  if (p == 2) return -INFINITE;
  if (p > 0 && p < 2) return p < 1 ? inverse_erfc_of_tail(p) : -inverse_erfc_of_tail(2 - p);
  return NOT_A_NUMBER;
}

// Returns exp(x^2) erfc(x).
Extended scaled_erfc(Extended x) {
  if (x < 50) {
    const Extended square = x * x;
    const Extended rest =
        std::fma(x, x, -square);  // the square's rounding error, which exp would magnify
    const Extended factor = std::exp(square);
    return std::isinf(factor) ? factor : (factor + factor * rest) * std::erfc(x);
  }
  // Both factors soon leave the range. The first omitted term of the asymptotic series is below 1e-20.
  const Extended q = 1 / (2 * x * x);
  Extended series = 1;
  for (int k = 11; k > 0; k -= 2) series = 1 - static_cast<Extended>(k) * q * series;
  return series / (x * SQRT_PI);
}

Extended normal_distribution(Extended x) {
  return std::erfc(-x / std::numbers::sqrt2_v<Extended>) / 2;
}

Extended normal_quantile(Extended p) {
  return -std::numbers::sqrt2_v<Extended> * inverse_erfc(2 * p);
}

// Returns the modified Bessel function I of order 0 or 1. Its power series has no negative term, so nothing
// cancels. It needs about |x| terms.
template <int ORDER>
Extended modified_bessel(Extended x) {
  if (std::isnan(x)) return x;
  const bool negative = ORDER == 1 && std::signbit(x);
  if (std::fabs(x) > 800) return negative ? -INFINITE : INFINITE;  // beyond the range of a double
  const Extended q = x * x / 4;
  Extended term = ORDER == 1 ? x / 2 : 1;
  Extended sum = term;
  for (int k = 1; std::fabs(term) > std::fabs(sum) * 0x1p-70L; ++k) {
    term *= q / (static_cast<Extended>(k) * static_cast<Extended>(k + ORDER));
    sum += term;
  }
  return sum;
}

// The length of a vector. An infinite coordinate outweighs a NaN.
constexpr auto LENGTH = [](auto... x) -> Extended {
  if ((std::isinf(x) || ...)) return INFINITE;
  return std::sqrt((... + (x * x)));
};
constexpr auto RECIPROCAL_LENGTH = [](auto... x) { return 1 / LENGTH(x...); };
constexpr auto RECIPROCAL_ROOT = [](Extended x) { return 1 / std::sqrt(x); };
constexpr auto RECIPROCAL_CUBE_ROOT = [](Extended x) { return 1 / std::cbrt(x); };

// Uses lgamma_r, because lgamma writes a variable that all threads share.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}
Extended log_gamma(Extended x) {
  int sign = 0;
  return ::lgammal_r(x, &sign);
}

double power_of_ten(double x) { return ::exp10(x); }
Extended power_of_ten(Extended x) { return ::exp10l(x); }

template <typename T>
T fraction_of(T x) {
  int exponent = 0;
  return std::frexp(x, &exponent);
}
template <typename T>
int32_t exponent_of(T x) {
  int exponent = 0;
  if (std::isfinite(x)) static_cast<void>(std::frexp(x, &exponent));
  return exponent;
}
template <typename T>
int32_t integral_logarithm(T x) {
  if (x == 0 || std::isnan(x)) return std::numeric_limits<int32_t>::min();
  return std::isinf(x) ? std::numeric_limits<int32_t>::max() : std::ilogb(x);
}
template <typename T>
int32_t quotient_of(T x, T y) {
  int quotient = 0;
  static_cast<void>(std::remquo(x, y, &quotient));
  return quotient;
}

// --- as instructions ------------------------------------------------------------------------------

template <typename T>
constexpr std::string_view NAME = "s32";
template <>
constexpr std::string_view NAME<float> = "f32";
template <>
constexpr std::string_view NAME<double> = "f64";

// Evaluates only active lanes: other lanes hold arbitrary values, with which libm may be slow.
template <auto F, typename D, typename... S>
void each_active_lane(Warp& w, const Op& op) {
  const std::array<Slot, 4> from{op.a, op.b, op.c, op.e};
  const auto compute = [&]<size_t... I>(size_t lane, std::index_sequence<I...>) {
    return F(lanes_of<S>(w, from[I])[lane]...);
  };
  D* const result = result_of<D>(w, op.d);
  for_each_active(w, [&](size_t lane) {
    result[lane] = compute(lane, std::make_index_sequence<sizeof...(S)>());
  });
}

// Rounds to the nearest T. Every NaN becomes the same one: the host's NaN sometimes has the sign set, and printf
// would show it.
template <typename T, typename W>
T rounded(W value) {
  const auto result = static_cast<T>(value);
  return std::isnan(result) ? std::numeric_limits<T>::quiet_NaN() : result;
}

using Table = std::unordered_map<std::string, Arithmetic>;

// Adds the instruction NAME_f32 or NAME_f64 for T. Its operands have types S.
template <typename T, auto F, typename D, typename... S>
void add(Table& table, const char* name) {
  constexpr bool SINGLE = std::is_same_v<T, float>;
  table[std::string(MATHEMATICS_PREFIX) + name + "_" + std::string(NAME<T>)] = {
      each_active_lane<F, D, S...>,
      SINGLE ? InstructionKind::fp32 : InstructionKind::fp64,
      NAME<D>,
      {NAME<S>...},
      0,
      SINGLE && std::is_same_v<D, float> ? 1u : 0u};
}

// Computes F with its arguments in W, and rounds the result to T.
template <auto F, typename T, typename W, typename... S>
T through(S... x) {
  return rounded<T>(F(static_cast<W>(x)...));
}

template <typename T, size_t>
using Repeated = T;

// Adds a function of N numbers, computed in W.
template <typename T, typename W, auto F, size_t N>
void add_rounded(Table& table, const char* name) {
  [&]<size_t... I>(std::index_sequence<I...>) {
    add<T, through<F, T, W, Repeated<T, I>...>, T, Repeated<T, I>...>(table, name);
  }(std::make_index_sequence<N>());
}

template <auto F, size_t N = 1>
void add_function(Table& table, const char* name) {
  add_rounded<float, Wide<float>, F, N>(table, name);
  add_rounded<double, Wide<double>, F, N>(table, name);
}

// Adds a function of this file for both types, computed in long double.
template <auto F, size_t N = 1>
void add_own(Table& table, const char* name) {
  add_rounded<float, Extended, F, N>(table, name);
  add_rounded<double, Extended, F, N>(table, name);
}

template <auto F>
void add_bessel(Table& table, const char* name) {
  add_rounded<float, Binary128, F, 1>(table, name);
  add_rounded<double, Binary128, F, 1>(table, name);
}

// Returns a Bessel function of integer order. CUDA has none of negative order.
template <typename T, auto F>
T bessel_of_order(int32_t n, T x) {
  return rounded<T>(n < 0 ? static_cast<Binary128>(NOT_A_NUMBER) : F(n, static_cast<Binary128>(x)));
}

// Adds functions that are exact in T itself, or have an integer in their signature.
template <typename T>
void add_exact(Table& table) {
  add<T, [](T x, T y) { return rounded<T>(std::fmod(x, y)); }, T, T, T>(table, "fmod");
  add<T, [](T x, T y) { return rounded<T>(std::remainder(x, y)); }, T, T, T>(table, "remainder");
  add<T, [](T x, T y) { return rounded<T>(std::nextafter(x, y)); }, T, T, T>(table, "nextafter");
  add<T, [](T x, int32_t n) { return rounded<T>(std::ldexp(x, n)); }, T, T, int32_t>(table,
                                                                                     "ldexp");
  add<T, [](T x) { return rounded<T>(std::logb(x)); }, T, T>(table, "logb");
  add<T, [](T x) { return rounded<T>(fraction_of(x)); }, T, T>(table, "frexp_fraction");
  add<T, exponent_of<T>, int32_t, T>(table, "frexp_exponent");
  add<T, integral_logarithm<T>, int32_t, T>(table, "ilogb");
  add<T, quotient_of<T>, int32_t, T, T>(table, "remquo_quotient");
  add<T, bessel_of_order<T, [](int n, auto x) { return jnf128(n, x); }>, T, int32_t, T>(table,
                                                                                        "jn");
  add<T, bessel_of_order<T, [](int n, auto x) { return ynf128(n, x); }>, T, int32_t, T>(table,
                                                                                        "yn");
}

Table make_table() {
  Table table;
  add_function<[](auto x) { return std::acos(x); }>(table, "acos");
  add_function<[](auto x) { return std::acosh(x); }>(table, "acosh");
  add_function<[](auto x) { return std::asin(x); }>(table, "asin");
  add_function<[](auto x) { return std::asinh(x); }>(table, "asinh");
  add_function<[](auto x) { return std::atan(x); }>(table, "atan");
  add_function<[](auto x) { return std::atanh(x); }>(table, "atanh");
  add_function<[](auto x) { return std::cbrt(x); }>(table, "cbrt");
  add_function<[](auto x) { return std::cos(x); }>(table, "cos");
  add_function<[](auto x) { return std::cosh(x); }>(table, "cosh");
  add_function<[](auto x) { return std::erf(x); }>(table, "erf");
  add_function<[](auto x) { return std::erfc(x); }>(table, "erfc");
  add_function<[](auto x) { return std::exp(x); }>(table, "exp");
  add_function<[](auto x) { return power_of_ten(x); }>(table, "exp10");
  add_function<[](auto x) { return std::exp2(x); }>(table, "exp2");
  add_function<[](auto x) { return std::expm1(x); }>(table, "expm1");
  add_function<[](auto x) { return log_gamma(x); }>(table, "lgamma");
  add_function<[](auto x) { return std::log(x); }>(table, "log");
  add_function<[](auto x) { return std::log10(x); }>(table, "log10");
  add_function<[](auto x) { return std::log1p(x); }>(table, "log1p");
  add_function<[](auto x) { return std::log2(x); }>(table, "log2");
  add_function<[](auto x) { return std::sin(x); }>(table, "sin");
  add_function<[](auto x) { return std::sinh(x); }>(table, "sinh");
  add_function<[](auto x) { return std::tan(x); }>(table, "tan");
  add_function<[](auto x) { return std::tanh(x); }>(table, "tanh");
  add_function<[](auto x) { return std::tgamma(x); }>(table, "tgamma");
  add_function<[](auto x, auto y) { return std::atan2(x, y); }, 2>(table, "atan2");
  add_function<[](auto x, auto y) { return std::hypot(x, y); }, 2>(table, "hypot");
  add_function<[](auto x, auto y) { return std::pow(x, y); }, 2>(table, "pow");

  add_bessel<[](auto x) { return j0f128(x); }>(table, "j0");
  add_bessel<[](auto x) { return j1f128(x); }>(table, "j1");
  add_bessel<[](auto x) { return y0f128(x); }>(table, "y0");
  add_bessel<[](auto x) { return y1f128(x); }>(table, "y1");

  add_own<cosine_of_half_turns>(table, "cospi");
  add_own<modified_bessel<0>>(table, "cyl_bessel_i0");
  add_own<modified_bessel<1>>(table, "cyl_bessel_i1");
  add_own<inverse_erfc>(table, "erfcinv");
  add_own<scaled_erfc>(table, "erfcx");
  add_own<inverse_erf>(table, "erfinv");
  add_own<normal_distribution>(table, "normcdf");
  add_own<normal_quantile>(table, "normcdfinv");
  add_own<RECIPROCAL_CUBE_ROOT>(table, "rcbrt");
  add_own<RECIPROCAL_ROOT>(table, "rsqrt");
  add_own<sine_of_half_turns>(table, "sinpi");
  add_own<RECIPROCAL_LENGTH, 2>(table, "rhypot");
  add_own<LENGTH, 3>(table, "norm3d");
  add_own<LENGTH, 4>(table, "norm4d");
  add_own<RECIPROCAL_LENGTH, 3>(table, "rnorm3d");
  add_own<RECIPROCAL_LENGTH, 4>(table, "rnorm4d");

  add_exact<float>(table);
  add_exact<double>(table);
  return table;
}

}  // namespace

Arithmetic find_mathematics(std::string_view name) {
  static const Table table = make_table();
  const auto found = table.find(std::string(name));
  return found == table.end() ? Arithmetic{} : found->second;
}

// --- for host code --------------------------------------------------------------------------------

// CUDA gives host code the functions that its libm lacks. <math_functions.h> declares both sides' functions under
// one name.
#define SIMULATOR_HOST_FUNCTION(type, name, suffix, F, parameters, ...)       \
  type name##_##suffix parameters asm("__simulator_math_" #name "_" #suffix); \
  type name##_##suffix parameters { return through<F, type, Extended>(__VA_ARGS__); }
#define SIMULATOR_HOST_FUNCTION1(name, F)                    \
  SIMULATOR_HOST_FUNCTION(float, name, f32, F, (float x), x) \
  SIMULATOR_HOST_FUNCTION(double, name, f64, F, (double x), x)
#define SIMULATOR_HOST_FUNCTION2(name, F)                                \
  SIMULATOR_HOST_FUNCTION(float, name, f32, F, (float x, float y), x, y) \
  SIMULATOR_HOST_FUNCTION(double, name, f64, F, (double x, double y), x, y)
#define SIMULATOR_HOST_FUNCTION3(name, F)                                            \
  SIMULATOR_HOST_FUNCTION(float, name, f32, F, (float x, float y, float z), x, y, z) \
  SIMULATOR_HOST_FUNCTION(double, name, f64, F, (double x, double y, double z), x, y, z)
#define SIMULATOR_HOST_FUNCTION4(name, F)                                                          \
  SIMULATOR_HOST_FUNCTION(float, name, f32, F, (float x, float y, float z, float t), x, y, z, t)   \
  SIMULATOR_HOST_FUNCTION(double, name, f64, F, (double x, double y, double z, double t), x, y, z, \
                          t)

SIMULATOR_HOST_FUNCTION1(cospi, cosine_of_half_turns)
SIMULATOR_HOST_FUNCTION1(cyl_bessel_i0, modified_bessel<0>)
SIMULATOR_HOST_FUNCTION1(cyl_bessel_i1, modified_bessel<1>)
SIMULATOR_HOST_FUNCTION1(erfcinv, inverse_erfc)
SIMULATOR_HOST_FUNCTION1(erfcx, scaled_erfc)
SIMULATOR_HOST_FUNCTION1(erfinv, inverse_erf)
SIMULATOR_HOST_FUNCTION1(normcdf, normal_distribution)
SIMULATOR_HOST_FUNCTION1(normcdfinv, normal_quantile)
SIMULATOR_HOST_FUNCTION1(rcbrt, RECIPROCAL_CUBE_ROOT)
SIMULATOR_HOST_FUNCTION1(rsqrt, RECIPROCAL_ROOT)
SIMULATOR_HOST_FUNCTION1(sinpi, sine_of_half_turns)
SIMULATOR_HOST_FUNCTION2(rhypot, RECIPROCAL_LENGTH)
SIMULATOR_HOST_FUNCTION3(norm3d, LENGTH)
SIMULATOR_HOST_FUNCTION3(rnorm3d, RECIPROCAL_LENGTH)
SIMULATOR_HOST_FUNCTION4(norm4d, LENGTH)
SIMULATOR_HOST_FUNCTION4(rnorm4d, RECIPROCAL_LENGTH)

}  // namespace simulator
