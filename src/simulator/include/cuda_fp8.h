// FP8: the formats E4M3 and E5M2, their conversions, and their types for one, two and four numbers.
//
// E4M3 has 4 bits of exponent and 3 of fraction, no infinities, and 448 as its largest number. E5M2 is the upper half of FP16. The
// conversions round to nearest even; beyond the largest number they give that number (__NV_SATFINITE), or NaN in E4M3 and infinity in
// E5M2 (__NV_NOSAT). NaN becomes 0x7f; a NaN in double keeps its sign, and in E5M2 the first bits of its fraction. (P. Micikevicius et
// al., "FP8 Formats for Deep Learning", 2022.)
#pragma once
#pragma GCC system_header

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#define __CUDA_FP8_TYPES_EXIST__

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

// A number in steps of the format: those of its exponent, but not below the smallest one.
__simulator_host_device __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                                  __nv_fp8_interpretation_t format) {
  const int fraction_bits = format == __NV_E4M3 ? 3 : 2;
  const int smallest_exponent = format == __NV_E4M3 ? -6 : -14;
  const unsigned int largest = format == __NV_E4M3 ? 0x7e : 0x7b;
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
  const __nv_fp8_storage_t sign = static_cast<__nv_fp8_storage_t>(bits >> 63 << 7);
  if (x != x) {
    const unsigned long long kept = format == __NV_E4M3 ? 0x7f : 0x7e | (bits >> 50 & 3);
    return static_cast<__nv_fp8_storage_t>(sign | kept);
  }
  int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  unsigned int magnitude = 0x100;  // more than there is
  if (exponent < 64) {
    unsigned long long number = bits & 0xfffffffffffffull;
    if (exponent > -1023) number |= 1ull << 52;
    int shift = 52 - fraction_bits;
    if (exponent < smallest_exponent) {
      shift += smallest_exponent - exponent;
      exponent = smallest_exponent;
    }
    if (shift > 55) {
      magnitude = 0;
    } else {
      const unsigned long long half = 1ull << (shift - 1), rest = number & ((1ull << shift) - 1);
      unsigned long long steps = number >> shift;
      if (rest > half || (rest == half && (steps & 1) != 0)) ++steps;
      const unsigned long long all = (static_cast<unsigned long long>(exponent - smallest_exponent) << fraction_bits) + steps;
      magnitude = all > 0xff ? 0x100 : static_cast<unsigned int>(all);
    }
  }
  if (magnitude > largest) magnitude = saturate == __NV_SATFINITE ? largest : format == __NV_E4M3 ? 0x7f : 0x7c;
  return static_cast<__nv_fp8_storage_t>(sign | magnitude);
}
__simulator_host_device __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format) {
  return x != x ? 0x7f : __nv_cvt_double_to_fp8(x, saturate, format);
}
__simulator_host_device __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(__half2float(__half(x)), saturate, format);
}
__simulator_host_device __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                                                                       __nv_fp8_interpretation_t format) {
  return __nv_cvt_float_to_fp8(__bfloat162float(__nv_bfloat16(x)), saturate, format);
}
__simulator_host_device __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t format) {
  __half_raw result;
  if (format == __NV_E5M2) {
    result.x = static_cast<unsigned short>(x << 8);
    if ((x & 0x7f) > 0x7c) result.x = 0x7fff;
  } else {
    const unsigned int magnitude = x & 0x7fu;
    const unsigned int exponent = magnitude >> 3, fraction = magnitude & 7;
    unsigned int bits;
    if (magnitude == 0x7f) {
      result.x = 0x7fff;
      return result;
    } else if (exponent != 0) {
      bits = (exponent - 7 + 15) << 10 | fraction << 7;
    } else {  // a multiple of 2^-9, which is a normal number of FP16
      const unsigned int zeros = fraction >= 4 ? 0 : fraction >= 2 ? 1 : 2;  // before its first bit
      bits = fraction == 0 ? 0 : (8 - zeros) << 10 | ((fraction << (zeros + 1)) & 7) << 7;
    }
    result.x = static_cast<unsigned short>(bits | (x & 0x80u) << 8);
  }
  return result;
}

// Two numbers: the first is in the lower byte.
#define __simulator_two(first, second) static_cast<__nv_fp8x2_storage_t>((first) | (second) << 8)
__simulator_host_device __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format) {
  return __simulator_two(__nv_cvt_double_to_fp8(x.x, saturate, format), __nv_cvt_double_to_fp8(x.y, saturate, format));
}
__simulator_host_device __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format) {
  return __simulator_two(__nv_cvt_float_to_fp8(x.x, saturate, format), __nv_cvt_float_to_fp8(x.y, saturate, format));
}
__simulator_host_device __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t format) {
  return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(x)), saturate, format);
}
__simulator_host_device __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x, __nv_saturation_t saturate,
                                                                            __nv_fp8_interpretation_t format) {
  return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(__nv_bfloat162(x)), saturate, format);
}
__simulator_host_device __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t format) {
  __half2_raw result;
  result.x = __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x), format).x;
  result.y = __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x >> 8), format).x;
  return result;
}
#undef __simulator_two

// The types. Conversions from other types saturate.
#define __simulator_fp8_member __attribute__((always_inline, nodebug)) __host__ __device__
#define __simulator_fp8(one, two, four, format)                                                                                        \
  struct one {                                                                                                                         \
    __nv_fp8_storage_t __x;                                                                                                            \
    one() = default;                                                                                                                   \
    __simulator_fp8_member explicit one(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, format)) {}                          \
    __simulator_fp8_member explicit one(float x) : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, format)) {}                            \
    __simulator_fp8_member explicit one(__half x) : __x(__nv_cvt_float_to_fp8(__half2float(x), __NV_SATFINITE, format)) {}             \
    __simulator_fp8_member explicit one(__nv_bfloat16 x) : __x(__nv_cvt_float_to_fp8(__bfloat162float(x), __NV_SATFINITE, format)) {}  \
    __simulator_fp8_member explicit one(short x) : one(static_cast<float>(x)) {}                                                       \
    __simulator_fp8_member explicit one(unsigned short x) : one(static_cast<float>(x)) {}                                              \
    __simulator_fp8_member explicit one(int x) : one(static_cast<double>(x)) {}                                                        \
    __simulator_fp8_member explicit one(unsigned int x) : one(static_cast<double>(x)) {}                                               \
    __simulator_fp8_member explicit one(long x) : one(static_cast<double>(x)) {}                                                       \
    __simulator_fp8_member explicit one(unsigned long x) : one(static_cast<double>(x)) {}                                              \
    __simulator_fp8_member explicit one(long long x) : one(static_cast<double>(x)) {}                                                  \
    __simulator_fp8_member explicit one(unsigned long long x) : one(static_cast<double>(x)) {}                                         \
    __simulator_fp8_member explicit operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, format)); }                   \
    __simulator_fp8_member explicit operator float() const { return __half2float(__half(__nv_cvt_fp8_to_halfraw(__x, format))); }      \
    __simulator_fp8_member explicit operator double() const { return static_cast<float>(*this); }                                      \
    __simulator_fp8_member explicit operator __nv_bfloat16() const { return __float2bfloat16_rz(static_cast<float>(*this)); }          \
    __simulator_fp8_member explicit operator bool() const { return (__x & 0x7f) != 0; }                                                \
    __simulator_fp8_member explicit operator int() const { return __float2int_rz(static_cast<float>(*this)); }                         \
  };                                                                                                                                   \
  struct __align__(2) two {                                                                                                            \
    __nv_fp8x2_storage_t __x;                                                                                                          \
    two() = default;                                                                                                                   \
    __simulator_fp8_member explicit two(double2 x) : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, format)) {}                      \
    __simulator_fp8_member explicit two(float2 x) : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, format)) {}                        \
    __simulator_fp8_member explicit two(__half2 x) : two(__half22float2(x)) {}                                                         \
    __simulator_fp8_member explicit two(__nv_bfloat162 x)                                                                              \
        : two(__bfloat1622float2(x)) {}                                                                                                \
    __simulator_fp8_member explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, format)); }              \
    __simulator_fp8_member explicit operator float2() const { return __half22float2(static_cast<__half2>(*this)); }                    \
  };                                                                                                                                   \
  struct __align__(4) four {                                                                                                           \
    __nv_fp8x4_storage_t __x;                                                                                                          \
    four() = default;                                                                                                                  \
    __simulator_fp8_member explicit four(float4 x)                                                                                     \
        : four(__nv_cvt_float2_to_fp8x2({x.x, x.y}, __NV_SATFINITE, format),                                                           \
                                              __nv_cvt_float2_to_fp8x2({x.z, x.w}, __NV_SATFINITE, format)) {}                         \
    __simulator_fp8_member explicit four(double4 x)                                                                                    \
        : four(__nv_cvt_double2_to_fp8x2({x.x, x.y}, __NV_SATFINITE, format),                                                          \
                                              __nv_cvt_double2_to_fp8x2({x.z, x.w}, __NV_SATFINITE, format)) {}                        \
    __simulator_fp8_member explicit four(__half2 low, __half2 high)                                                                    \
        : four(__nv_cvt_float2_to_fp8x2(__half22float2(low), __NV_SATFINITE, format),                                                  \
                                              __nv_cvt_float2_to_fp8x2(__half22float2(high), __NV_SATFINITE, format)) {}               \
    __simulator_fp8_member explicit four(__nv_bfloat162 low, __nv_bfloat162 high)                                                      \
        : four(__nv_cvt_float2_to_fp8x2(__bfloat1622float2(low), __NV_SATFINITE, format),                                              \
                                              __nv_cvt_float2_to_fp8x2(__bfloat1622float2(high), __NV_SATFINITE, format)) {}           \
    __simulator_fp8_member explicit operator float4() const {                                                                          \
      const float2 low = __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(__x), format)));          \
      const float2 high = __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(__x >> 16), format)));   \
      return {low.x, low.y, high.x, high.y};                                                                                           \
    }                                                                                                                                  \
                                                                                                                                       \
   private:                                                                                                                            \
    __simulator_fp8_member four(__nv_fp8x2_storage_t low, __nv_fp8x2_storage_t high, int = 0)                                          \
        : __x(low | static_cast<__nv_fp8x4_storage_t>(high) << 16) {}                                                                  \
  };
__simulator_fp8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
__simulator_fp8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef __simulator_fp8
#undef __simulator_fp8_member
