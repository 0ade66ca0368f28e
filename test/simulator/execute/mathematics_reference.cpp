#include "mathematics_reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <stdexcept>

#if defined(__SIZEOF_FLOAT128__)
using Real = __float128;

// glibc has all of libm in this format, but does not declare it to clang.
extern "C" {
Real acosf128(Real);
Real acoshf128(Real);
Real asinf128(Real);
Real asinhf128(Real);
Real atanf128(Real);
Real atanhf128(Real);
Real cbrtf128(Real);
Real cosf128(Real);
Real coshf128(Real);
Real erff128(Real);
Real erfcf128(Real);
Real expf128(Real);
Real exp10f128(Real);
Real exp2f128(Real);
Real expm1f128(Real);
Real fabsf128(Real);
Real j0f128(Real);
Real j1f128(Real);
Real lgammaf128(Real);
Real logf128(Real);
Real log10f128(Real);
Real log1pf128(Real);
Real log2f128(Real);
Real sinf128(Real);
Real sinhf128(Real);
Real sqrtf128(Real);
Real tanf128(Real);
Real tanhf128(Real);
Real tgammaf128(Real);
Real y0f128(Real);
Real y1f128(Real);
Real atan2f128(Real, Real);
Real copysignf128(Real, Real);
Real hypotf128(Real, Real);
Real powf128(Real, Real);
Real remainderf128(Real, Real);
Real jnf128(int, Real);
Real ynf128(int, Real);
Real ldexpf128(Real, int);
int ilogbf128(Real);
}
#else
using Real = long double;  // as on aarch64, where glibc declares the functions for it
#endif

namespace simulator::test {
namespace {

const Real PI = acosf128(-1);
const Real INFINITE = std::numeric_limits<double>::infinity();
const Real NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();

bool is_nan(Real x) { return x != x; }  // NOLINT(misc-redundant-expression)
bool is_infinite(Real x) { return fabsf128(x) == INFINITE; }
bool is_negative(Real x) { return copysignf128(1, x) < 0; }

Real sinpi(Real x) {
  const Real r = remainderf128(x, 2);
  if (r == 0 || fabsf128(r) == 1) return copysignf128(0, x);
  return sinf128(PI * r);
}
Real cospi(Real x) {
  const Real r = fabsf128(remainderf128(x, 2));
  return r == 0.5 ? 0 : cosf128(PI * r);
}

Real bell(Real y) { return 2 / sqrtf128(PI) * expf128(-y * y); }

// Returns a better value of an inverse function, which has no formula. From a result that is nearly right, one of
// Newton's steps leads to a result with twice as many right digits. From a wrong result it leads away.
Real erfinv(Real x, Real got) {
  if (is_nan(x) || fabsf128(x) > 1) return NOT_A_NUMBER;
  if (fabsf128(x) == 1) return copysignf128(INFINITE, x);
  if (x == 0) return x;
  const Real difference = fabsf128(x) < 0.5 ? erff128(got) - x
                                            : copysignf128(1 - fabsf128(x), x) -
                                                  copysignf128(erfcf128(fabsf128(got)), x);
  return got - difference / bell(got);
}
Real erfcinv(Real x, Real got) {
  if (!(x >= 0 && x <= 2)) return NOT_A_NUMBER;
  if (x == 0 || x == 2) return x == 0 ? INFINITE : -INFINITE;
  if (x > 0.5 && x < 1.5) return erfinv(1 - x, got);
  return got + (x < 1 ? erfcf128(got) - x : (2 - x) - erfcf128(-got)) / bell(got);
}
Real normcdfinv(Real x, Real got) {
  const Real root = sqrtf128(2);
  return -root * erfcinv(2 * x, -got / root);
}

Real erfcx(Real x) {
  if (x < 60) return is_infinite(x) ? INFINITE : expf128(x * x) * erfcf128(x);
  const Real q = 1 / (2 * x * x);
  Real series = 1;
  for (int k = 39; k > 0; k -= 2) series = 1 - k * q * series;
  return series / (x * sqrtf128(PI));
}

Real modified_bessel(int order, Real x) {
  if (is_nan(x)) return x;
  if (fabsf128(x) > 1000) return order == 1 ? copysignf128(INFINITE, x) : INFINITE;
  Real term = order == 1 ? x / 2 : 1;
  Real sum = term;
  for (int k = 1; fabsf128(term) > fabsf128(sum) * 1e-36; ++k) {
    term *= x * x / 4 / (Real{static_cast<double>(k)} * (k + order));
    sum += term;
  }
  return sum;
}

Real length(std::initializer_list<Real> coordinates) {
  Real sum = 0;
  for (const Real x : coordinates) {
    if (is_infinite(x)) return INFINITE;
    sum += x * x;
  }
  return sqrtf128(sum);
}

using Arguments = std::array<Real, 4>;
using Function = std::function<Real(const Arguments&, Real got)>;

Function of_one(Real (*f)(Real)) {
  return [f](const Arguments& x, Real) { return f(x[0]); };
}
Function of_two(Real (*f)(Real, Real)) {
  return [f](const Arguments& x, Real) { return f(x[0], x[1]); };
}
Function of_order(Real (*f)(int, Real)) {
  return [f](const Arguments& x, Real) { return f(static_cast<int>(x[0]), x[1]); };
}
Function inverse(Real (*f)(Real, Real)) {
  return [f](const Arguments& x, Real got) { return f(x[0], got); };
}

const Function& function_named(const std::string& name) {
  static const std::map<std::string, Function> functions = {
      {"acos", of_one(acosf128)},
      {"acosh", of_one(acoshf128)},
      {"asin", of_one(asinf128)},
      {"asinh", of_one(asinhf128)},
      {"atan", of_one(atanf128)},
      {"atan2", of_two(atan2f128)},
      {"atanh", of_one(atanhf128)},
      {"cbrt", of_one(cbrtf128)},
      {"cos", of_one(cosf128)},
      {"cosh", of_one(coshf128)},
      {"cospi", of_one(cospi)},
      {"cyl_bessel_i0", of_one([](Real x) { return modified_bessel(0, x); })},
      {"cyl_bessel_i1", of_one([](Real x) { return modified_bessel(1, x); })},
      {"erf", of_one(erff128)},
      {"erfc", of_one(erfcf128)},
      {"erfcinv", inverse(erfcinv)},
      {"erfcx", of_one(erfcx)},
      {"erfinv", inverse(erfinv)},
      {"exp", of_one(expf128)},
      {"exp10", of_one(exp10f128)},
      {"exp2", of_one(exp2f128)},
      {"expm1", of_one(expm1f128)},
      {"hypot", of_two(hypotf128)},
      {"j0", of_one(j0f128)},
      {"j1", of_one(j1f128)},
      {"jn", of_order(jnf128)},
      {"lgamma", of_one(lgammaf128)},
      {"log", of_one(logf128)},
      {"log10", of_one(log10f128)},
      {"log1p", of_one(log1pf128)},
      {"log2", of_one(log2f128)},
      {"norm3d", [](const Arguments& x, Real) { return length({x[0], x[1], x[2]}); }},
      {"norm4d", [](const Arguments& x, Real) { return length({x[0], x[1], x[2], x[3]}); }},
      {"normcdf", of_one([](Real x) { return erfcf128(-x / sqrtf128(2)) / 2; })},
      {"normcdfinv", inverse(normcdfinv)},
      {"pow", of_two(powf128)},
      {"rcbrt", of_one([](Real x) { return 1 / cbrtf128(x); })},
      {"rhypot", of_two([](Real x, Real y) { return 1 / hypotf128(x, y); })},
      {"rnorm3d", [](const Arguments& x, Real) { return 1 / length({x[0], x[1], x[2]}); }},
      {"rnorm4d", [](const Arguments& x, Real) { return 1 / length({x[0], x[1], x[2], x[3]}); }},
      {"rsqrt", of_one([](Real x) { return 1 / sqrtf128(x); })},
      {"sin", of_one(sinf128)},
      {"sinh", of_one(sinhf128)},
      {"sinpi", of_one(sinpi)},
      {"sqrt", of_one(sqrtf128)},
      {"tan", of_one(tanf128)},
      {"tanh", of_one(tanhf128)},
      {"tgamma", of_one(tgammaf128)},
      {"y0", of_one(y0f128)},
      {"y1", of_one(y1f128)},
      {"yn", of_order(ynf128)},
  };
  return functions.at(name);
}

// Returns -1, 0 or 1: `got` lies below, at or above the exact result.
int side(Operation operation, Real got, Real a, Real b, Real c) {
  const auto compare = [](Real x, Real y) { return x < y ? -1 : x > y ? 1 : 0; };
  switch (operation) {
    case Operation::add:
      return compare(got, a + b);
    case Operation::mul:
      return compare(got, a * b);
    case Operation::fma:
      return compare(got, a * b + c);
    case Operation::div:
      return compare(got * b, a) * (b < 0 ? -1 : 1);
    case Operation::rcp:
      return compare(got * a, 1) * (a < 0 ? -1 : 1);
    case Operation::sqrt:
      return got < 0 ? -1 : compare(got * got, a);
    case Operation::convert:
      return compare(got, a);
  }
  throw std::logic_error("no such operation");
}

}  // namespace

template <typename T>
double error_in_ulps(const std::string& function, T got, const std::array<T, 4>& arguments) {
  using Limits = std::numeric_limits<T>;
  constexpr double WRONG = std::numeric_limits<double>::infinity();
  Arguments wide{};
  std::copy(arguments.begin(), arguments.end(), wide.begin());
  Real exact = function_named(function)(wide, got);
  if (std::isnan(got) || is_nan(exact)) return std::isnan(got) && is_nan(exact) ? 0 : WRONG;
  if (exact == 0) return got == 0 && std::signbit(got) == is_negative(exact) ? 0 : WRONG;
  // `beyond` is the power of two above T's largest number. It stands for infinity and for all numbers too large for T.
  const Real beyond = ldexpf128(1, Limits::max_exponent);
  if (is_infinite(exact) && !std::isinf(got)) return WRONG;
  if (fabsf128(exact) > beyond) exact = copysignf128(beyond, exact);
  const Real value = std::isinf(got) ? copysignf128(beyond, got) : Real{got};
  const int exponent =
      std::clamp(ilogbf128(exact), Limits::min_exponent - 1, Limits::max_exponent - 1);
  return static_cast<double>(fabsf128(ldexpf128(value - exact, Limits::digits - 1 - exponent)));
}

template <typename T, typename S>
bool is_rounded(Operation operation, Direction direction, T got, S a, S b, S c) {
  const auto at = [&](T x) {
    return side(operation, x, static_cast<Real>(a), static_cast<Real>(b), static_cast<Real>(c));
  };
  if (at(got) == 0) return true;
  const bool positive = at(T{0}) < 0;
  const bool up = direction == Direction::up || (direction == Direction::zero && !positive);
  const T beyond = std::nextafter(
      got, up ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity());
  return up ? at(got) > 0 && at(beyond) < 0 : at(got) < 0 && at(beyond) > 0;
}

template double error_in_ulps(const std::string&, float, const std::array<float, 4>&);
template double error_in_ulps(const std::string&, double, const std::array<double, 4>&);
template bool is_rounded(Operation, Direction, float, float, float, float);
template bool is_rounded(Operation, Direction, double, double, double, double);
template bool is_rounded(Operation, Direction, float, double, double, double);
template bool is_rounded(Operation, Direction, float, int32_t, int32_t, int32_t);
template bool is_rounded(Operation, Direction, float, uint32_t, uint32_t, uint32_t);
template bool is_rounded(Operation, Direction, float, long long, long long, long long);
template bool is_rounded(Operation, Direction, float, unsigned long long, unsigned long long,
                         unsigned long long);
template bool is_rounded(Operation, Direction, double, long long, long long, long long);
template bool is_rounded(Operation, Direction, double, unsigned long long, unsigned long long,
                         unsigned long long);

}  // namespace simulator::test
