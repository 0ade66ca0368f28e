// Complex numbers: two floats or two doubles, the real part first.
#pragma once
#pragma GCC system_header

#include <math.h>

#include "host_defines.h"
#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#if defined(__CUDA__)
#define __simulator_complex static inline __host__ __device__
#else
#define __simulator_complex static inline
#endif

// Each function for float and for double. A quotient and an absolute value are scaled by their larger part, so that no intermediate
// result is too large.
#define __simulator_complex_functions(T, C, f, F)                                                                                      \
  __simulator_complex T cuCreal##f(C x) { return x.x; }                                                                                \
  __simulator_complex T cuCimag##f(C x) { return x.y; }                                                                                \
  __simulator_complex C make_cu##F##Complex(T real, T imaginary) {                                                                     \
    C x;                                                                                                                               \
    x.x = real;                                                                                                                        \
    x.y = imaginary;                                                                                                                   \
    return x;                                                                                                                          \
  }                                                                                                                                    \
  __simulator_complex C cuConj##f(C x) { return make_cu##F##Complex(x.x, -x.y); }                                                      \
  __simulator_complex C cuCadd##f(C x, C y) { return make_cu##F##Complex(x.x + y.x, x.y + y.y); }                                      \
  __simulator_complex C cuCsub##f(C x, C y) { return make_cu##F##Complex(x.x - y.x, x.y - y.y); }                                      \
  __simulator_complex C cuCmul##f(C x, C y) { return make_cu##F##Complex(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); }              \
  __simulator_complex C cuCfma##f(C x, C y, C z) {                                                                                     \
    return make_cu##F##Complex(x.x * y.x + z.x - x.y * y.y, x.x * y.y + z.y + x.y * y.x);                                              \
  }                                                                                                                                    \
  __simulator_complex C cuCdiv##f(C x, C y) {                                                                                          \
    const T scale = fabs##f(y.x) + fabs##f(y.y);                                                                                       \
    const T xr = x.x / scale, xi = x.y / scale, yr = y.x / scale, yi = y.y / scale;                                                    \
    const T square = yr * yr + yi * yi;                                                                                                \
    return make_cu##F##Complex((xr * yr + xi * yi) / square, (xi * yr - xr * yi) / square);                                            \
  }                                                                                                                                    \
  __simulator_complex T cuCabs##f(C x) { return hypot##f(x.x, x.y); }
__simulator_complex_functions(float, cuFloatComplex, f, Float)
__simulator_complex_functions(double, cuDoubleComplex, , Double)
#undef __simulator_complex_functions

__simulator_complex cuComplex make_cuComplex(float real, float imaginary) { return make_cuFloatComplex(real, imaginary); }
__simulator_complex cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return make_cuDoubleComplex(x.x, x.y); }
__simulator_complex cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
  return make_cuFloatComplex((float)x.x, (float)x.y);
}
#undef __simulator_complex
