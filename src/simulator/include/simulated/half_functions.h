// What cuda_fp16.h and cuda_bf16.h have in common: the types and functions of one 16-bit format. Each of the two
// includes this file once, with these macros defined, and without `#pragma once`:
//
//   __simulator_h, __simulator_h2          the types, __half and __half2
//   __simulator_raw, __simulator_raw2      their raw forms, without constructors
//   __simulator_to, __simulator_to2        the format in names of conversions to it: half, half2
//   __simulator_2_to2                      the end of __half2half2: 2half2
//   __simulator_make2                      make_half2
//   __simulator_format                     FP16
//   __simulator_ptx                        "f16"
//
// On the device each function is one PTX instruction, on the host the same arithmetic in half_formats.h. No two
// operations are fused; nvcc may fuse a product and a sum, unless a program says __hmul_rn or __hadd_rn.
#pragma GCC system_header

#define __simulator_join_(a, b, c) a##b##c
#define __simulator_join(a, b, c) __simulator_join_(a, b, c)

#if defined(__CUDA_ARCH__)
#define __simulator_h_compute(instruction, host, result, ...) \
  asm(instruction : "=h"(result) : __VA_ARGS__)
#else
#define __simulator_h_compute(instruction, host, result, ...) result = (host)
#endif

struct __simulator_raw {
  unsigned short x;
};
struct __align__(4) __simulator_raw2 {
  unsigned short x, y;
};

struct __simulator_h;

// Conversions of numbers to the format, in all roundings.
#define __simulator_to_half(type, source, constraint, suffix, ptx, mode, number)                   \
  __simulator_host_device unsigned short __simulator_join(__simulator_bits_, __simulator_to,       \
                                                          suffix)(type value) {                    \
    unsigned short bits;                                                                           \
    __simulator_h_compute("cvt." ptx "." __simulator_ptx "." source " %0, %1;",                    \
                          (__simulator_half::__simulator_format::narrow(                           \
                              number, __simulator_half::Rounding::mode)),                          \
                          bits, constraint(value));                                                \
    return bits;                                                                                   \
  }
#define __simulator_to_half_all(type, source, constraint, number)                       \
  __simulator_to_half(type, source, constraint, _rn, "rn", nearest, number)             \
  __simulator_to_half(type, source, constraint, _rz, "rz", zero, number)                \
  __simulator_to_half(type, source, constraint, _ru, "rp", up, number)                  \
  __simulator_to_half(type, source, constraint, _rd, "rm", down, number)
#define __simulator_magnitude(type) \
  (__simulator_half::Fp16::odd(value < 0 ? 0ull - static_cast<unsigned long long>(value) \
                                         : static_cast<unsigned long long>(value), value < 0))
__simulator_to_half_all(float, "f32", "f", value)
__simulator_to_half_all(double, "f64", "d", value)
__simulator_to_half_all(int, "s32", "r", __simulator_magnitude(int))
__simulator_to_half_all(unsigned int, "u32", "r", __simulator_magnitude(unsigned))
__simulator_to_half_all(long long, "s64", "l", __simulator_magnitude(long long))
__simulator_to_half_all(unsigned long long, "u64", "l", __simulator_magnitude(unsigned long long))
#undef __simulator_to_half
#undef __simulator_to_half_all
#undef __simulator_magnitude

#define __simulator_rounded(suffix) __simulator_join(__simulator_bits_, __simulator_to, suffix)

__simulator_host_device float __simulator_join(__simulator_, __simulator_to, _as_float)(
    unsigned short bits) {
#if defined(__CUDA_ARCH__)
  float value;
  asm("cvt.f32." __simulator_ptx " %0, %1;" : "=f"(value) : "h"(bits));
  return value;
#else
  using Format = __simulator_half::__simulator_format;
  if (Format::is_nan(bits) && Format::Fraction == 10)
    return __builtin_bit_cast(float, 0x7fffffffu);
  if (Format::Fraction == 7) return __builtin_bit_cast(float, static_cast<unsigned>(bits) << 16);
  return static_cast<float>(Format::widen(bits));
#endif
}
#define __simulator_number __simulator_join(__simulator_, __simulator_to, _as_float)

// Whole numbers: beyond the type's range the nearest limit. Of NaN 0, and in 64 bits the highest bit.
template <typename T>
__simulator_host_device T __simulator_join(__simulator_, __simulator_to, _as_integer)(float x) {
  constexpr bool is_signed = static_cast<T>(-1) < T{0};
  constexpr int bits = 8 * sizeof(T);
  constexpr T highest = static_cast<T>(T{1} << (bits - 1));
  constexpr T least = is_signed ? highest : T{0};
  constexpr T most = static_cast<T>(~least);
  if (x != x) return sizeof(T) == 8 ? highest : T{0};
  if (x <= static_cast<float>(least)) return least;
  if (x >= static_cast<float>(most)) return most;
  return static_cast<T>(x);
}
#define __simulator_whole __simulator_join(__simulator_, __simulator_to, _as_integer)

struct __align__(2) __simulator_h {
  unsigned short __x;

  __simulator_h() = default;
#define __simulator_member __attribute__((always_inline, nodebug)) __host__ __device__
  __simulator_member constexpr __simulator_h(const __simulator_raw& raw) : __x(raw.x) {}
  __simulator_member __simulator_h(float value) : __x(__simulator_rounded(_rn)(value)) {}
  __simulator_member __simulator_h(double value) : __x(__simulator_rounded(_rn)(value)) {}
  template <typename Other,
            typename __simulator_half::OtherFormat<__simulator_h, Other>::type = 0>
  __simulator_member explicit __simulator_h(Other value)
      : __simulator_h(static_cast<float>(value)) {}
#define __simulator_from(type, wide)                                                           \
  __simulator_member __simulator_h(type value)                                                 \
      : __x(__simulator_rounded(_rn)(static_cast<wide>(value))) {}                             \
  __simulator_member __simulator_h& operator=(type value) {                                    \
    return *this = __simulator_h(value);                                                       \
  }                                                                                            \
  __simulator_member operator type() const {                                                   \
    return __simulator_whole<type>(__simulator_number(__x));                                   \
  }
  __simulator_from(short, int)
  __simulator_from(unsigned short, unsigned int)
  __simulator_from(int, int)
  __simulator_from(unsigned int, unsigned int)
  __simulator_from(long, long long)
  __simulator_from(unsigned long, unsigned long long)
  __simulator_from(long long, long long)
  __simulator_from(unsigned long long, unsigned long long)
#undef __simulator_from
  __simulator_member __simulator_h& operator=(float value) { return *this = __simulator_h(value); }
  __simulator_member __simulator_h& operator=(double value) { return *this = __simulator_h(value); }
  __simulator_member __simulator_h& operator=(const __simulator_raw& raw) {
    __x = raw.x;
    return *this;
  }
  __simulator_member operator float() const { return __simulator_number(__x); }
  __simulator_member operator signed char() const {
    return __simulator_whole<signed char>(__simulator_number(__x));
  }
  __simulator_member operator unsigned char() const {
    return __simulator_whole<unsigned char>(__simulator_number(__x));
  }
  __simulator_member operator char() const {
    return __simulator_whole<char>(__simulator_number(__x));
  }
  __simulator_member constexpr operator bool() const { return (__x & 0x7fff) != 0; }
  __simulator_member constexpr operator __simulator_raw() const { return {__x}; }
};

struct __align__(4) __simulator_h2 {
  __simulator_h x, y;

  __simulator_h2() = default;
  __simulator_member constexpr __simulator_h2(const __simulator_h& low, const __simulator_h& high)
      : x(low), y(high) {}
  __simulator_member constexpr __simulator_h2(const __simulator_raw2& raw)
      : x(__simulator_raw{raw.x}), y(__simulator_raw{raw.y}) {}
  __simulator_member constexpr operator __simulator_raw2() const { return {x.__x, y.__x}; }
#undef __simulator_member
};

__simulator_host_device __simulator_h __simulator_join(__simulator_, __simulator_to, _of)(
    unsigned int bits) {
  return __simulator_raw{static_cast<unsigned short>(bits)};
}
#define __simulator_of __simulator_join(__simulator_, __simulator_to, _of)

// ---- Conversions.

#define __simulator_from_number(type, name, wide)                                           \
  __simulator_host_device __simulator_h __simulator_join(name, __simulator_to, _rn)(type v) { \
    return __simulator_of(__simulator_rounded(_rn)(static_cast<wide>(v)));                  \
  }                                                                                         \
  __simulator_host_device __simulator_h __simulator_join(name, __simulator_to, _rz)(type v) { \
    return __simulator_of(__simulator_rounded(_rz)(static_cast<wide>(v)));                  \
  }                                                                                         \
  __simulator_host_device __simulator_h __simulator_join(name, __simulator_to, _ru)(type v) { \
    return __simulator_of(__simulator_rounded(_ru)(static_cast<wide>(v)));                  \
  }                                                                                         \
  __simulator_host_device __simulator_h __simulator_join(name, __simulator_to, _rd)(type v) { \
    return __simulator_of(__simulator_rounded(_rd)(static_cast<wide>(v)));                  \
  }
__simulator_from_number(float, __float2, float)
__simulator_from_number(short, __short2, int)
__simulator_from_number(unsigned short, __ushort2, unsigned int)
__simulator_from_number(int, __int2, int)
__simulator_from_number(unsigned int, __uint2, unsigned int)
__simulator_from_number(long long, __ll2, long long)
__simulator_from_number(unsigned long long, __ull2, unsigned long long)
#undef __simulator_from_number

__simulator_host_device __simulator_h __simulator_join(__float2, __simulator_to, )(float v) {
  return __simulator_h(v);
}
__simulator_host_device __simulator_h __simulator_join(__double2, __simulator_to, )(double v) {
  return __simulator_h(v);
}
__simulator_host_device float __simulator_join(__, __simulator_to, 2float)(__simulator_h h) {
  return __simulator_number(h.__x);
}
#define __simulator_to_integer(type, name)                                                       \
  __simulator_host_device type __simulator_join(__, __simulator_to, 2##name##_rn)(__simulator_h h) { \
    return __simulator_whole<type>(__builtin_rintf(__simulator_number(h.__x)));                  \
  }                                                                                              \
  __simulator_host_device type __simulator_join(__, __simulator_to, 2##name##_rz)(__simulator_h h) { \
    return __simulator_whole<type>(__simulator_number(h.__x));                                   \
  }                                                                                              \
  __simulator_host_device type __simulator_join(__, __simulator_to, 2##name##_ru)(__simulator_h h) { \
    return __simulator_whole<type>(__builtin_ceilf(__simulator_number(h.__x)));                  \
  }                                                                                              \
  __simulator_host_device type __simulator_join(__, __simulator_to, 2##name##_rd)(__simulator_h h) { \
    return __simulator_whole<type>(__builtin_floorf(__simulator_number(h.__x)));                 \
  }
__simulator_to_integer(short, short)
__simulator_to_integer(unsigned short, ushort)
__simulator_to_integer(int, int)
__simulator_to_integer(unsigned int, uint)
__simulator_to_integer(long long, ll)
__simulator_to_integer(unsigned long long, ull)
#undef __simulator_to_integer
__simulator_host_device signed char __simulator_join(__, __simulator_to, 2char_rz)(__simulator_h h) {
  return __simulator_whole<signed char>(__simulator_number(h.__x));
}
__simulator_host_device unsigned char __simulator_join(__, __simulator_to, 2uchar_rz)(
    __simulator_h h) {
  return __simulator_whole<unsigned char>(__simulator_number(h.__x));
}

__simulator_host_device short __simulator_join(__, __simulator_to, _as_short)(__simulator_h h) {
  return static_cast<short>(h.__x);
}
__simulator_host_device unsigned short __simulator_join(__, __simulator_to, _as_ushort)(
    __simulator_h h) {
  return h.__x;
}
__simulator_host_device __simulator_h __simulator_join(__short_as_, __simulator_to, )(short bits) {
  return __simulator_of(static_cast<unsigned short>(bits));
}
__simulator_host_device __simulator_h __simulator_join(__ushort_as_, __simulator_to, )(
    unsigned short bits) {
  return __simulator_of(bits);
}

// ---- Pairs: x is the lower half of the word.

__simulator_host_device __simulator_h2 __simulator_make2(__simulator_h x, __simulator_h y) {
  return {x, y};
}
__simulator_host_device __simulator_h2 __simulator_join(__halves2, __simulator_to2, )(
    __simulator_h x, __simulator_h y) {
  return {x, y};
}
__simulator_host_device __simulator_h2 __simulator_join(__, __simulator_to, __simulator_2_to2)(
    __simulator_h h) {
  return {h, h};
}
__simulator_host_device __simulator_h2 __simulator_join(__floats2, __simulator_to2, _rn)(float x,
                                                                                      float y) {
#if defined(__CUDA_ARCH__)
  unsigned int bits;
  asm("cvt.rn." __simulator_ptx "x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(y), "f"(x));
  return __builtin_bit_cast(__simulator_h2, bits);
#else
  return {__simulator_h(x), __simulator_h(y)};
#endif
}
__simulator_host_device __simulator_h2 __simulator_join(__float2, __simulator_to2, _rn)(float v) {
  return {__simulator_h(v), __simulator_h(v)};
}
__simulator_host_device __simulator_h2 __simulator_join(__float22, __simulator_to2, _rn)(float2 v) {
  return __simulator_join(__floats2, __simulator_to2, _rn)(v.x, v.y);
}
__simulator_host_device float2 __simulator_join(__, __simulator_to2, 2float2)(__simulator_h2 h) {
  return float2{__simulator_number(h.x.__x), __simulator_number(h.y.__x)};
}
__simulator_host_device float __low2float(__simulator_h2 h) { return __simulator_number(h.x.__x); }
__simulator_host_device float __high2float(__simulator_h2 h) { return __simulator_number(h.y.__x); }
__simulator_host_device __simulator_h __simulator_join(__low2, __simulator_to, )(__simulator_h2 h) {
  return h.x;
}
__simulator_host_device __simulator_h __simulator_join(__high2, __simulator_to, )(__simulator_h2 h) {
  return h.y;
}
__simulator_host_device __simulator_h2 __simulator_join(__low2, __simulator_to2, )(
    __simulator_h2 h) {
  return {h.x, h.x};
}
__simulator_host_device __simulator_h2 __simulator_join(__high2, __simulator_to2, )(
    __simulator_h2 h) {
  return {h.y, h.y};
}
__simulator_host_device __simulator_h2 __simulator_join(__lows2, __simulator_to2, )(
    __simulator_h2 a, __simulator_h2 b) {
  return {a.x, b.x};
}
__simulator_host_device __simulator_h2 __simulator_join(__highs2, __simulator_to2, )(
    __simulator_h2 a, __simulator_h2 b) {
  return {a.y, b.y};
}
__simulator_host_device __simulator_h2 __lowhigh2highlow(__simulator_h2 h) { return {h.y, h.x}; }

// ---- Arithmetic, alone and in pairs.

#if defined(__CUDA_ARCH__)
#define __simulator_on_pair(instruction, each_x, each_y, ...)                 \
  unsigned int bits;                                                          \
  asm(instruction : "=r"(bits) : __VA_ARGS__);                                \
  return __builtin_bit_cast(__simulator_h2, bits)
#else
#define __simulator_on_pair(instruction, each_x, each_y, ...) return {each_x, each_y}
#endif
#define __simulator_word(h) "r"(__builtin_bit_cast(unsigned int, h))

#define __simulator_h_binary(name, name2, ptx, host)                                              \
  __simulator_host_device __simulator_h name(__simulator_h a, __simulator_h b) {                  \
    using Format [[maybe_unused]] = __simulator_half::__simulator_format;                         \
    unsigned short bits;                                                                          \
    __simulator_h_compute(ptx "." __simulator_ptx " %0, %1, %2;", host, bits, "h"(a.__x),         \
                          "h"(b.__x));                                                            \
    return __simulator_of(bits);                                                                  \
  }                                                                                               \
  __simulator_host_device __simulator_h2 name2(__simulator_h2 a, __simulator_h2 b) {              \
    __simulator_on_pair(ptx "." __simulator_ptx "x2 %0, %1, %2;", name(a.x, b.x), name(a.y, b.y), \
                        __simulator_word(a), __simulator_word(b));                                \
  }
__simulator_h_binary(__hadd, __hadd2, "add", Format::add(a.__x, b.__x))
__simulator_h_binary(__hsub, __hsub2, "sub", Format::subtract(a.__x, b.__x))
__simulator_h_binary(__hmul, __hmul2, "mul", Format::multiply(a.__x, b.__x))
__simulator_h_binary(__hadd_rn, __hadd2_rn, "add.rn", Format::add(a.__x, b.__x))
__simulator_h_binary(__hsub_rn, __hsub2_rn, "sub.rn", Format::subtract(a.__x, b.__x))
__simulator_h_binary(__hmul_rn, __hmul2_rn, "mul.rn", Format::multiply(a.__x, b.__x))
__simulator_h_binary(__hmin, __hmin2, "min", Format::extreme(a.__x, b.__x, false, false))
__simulator_h_binary(__hmax, __hmax2, "max", Format::extreme(a.__x, b.__x, true, false))
__simulator_h_binary(__hmin_nan, __hmin2_nan, "min.NaN", Format::extreme(a.__x, b.__x, false, true))
__simulator_h_binary(__hmax_nan, __hmax2_nan, "max.NaN", Format::extreme(a.__x, b.__x, true, true))
#undef __simulator_h_binary

#define __simulator_h_unary(name, name2, ptx, host)                                             \
  __simulator_host_device __simulator_h name(__simulator_h a) {                                 \
    using Format [[maybe_unused]] = __simulator_half::__simulator_format;                       \
    unsigned short bits;                                                                        \
    __simulator_h_compute(ptx "." __simulator_ptx " %0, %1;", host, bits, "h"(a.__x));          \
    return __simulator_of(bits);                                                                \
  }                                                                                             \
  __simulator_host_device __simulator_h2 name2(__simulator_h2 a) {                              \
    __simulator_on_pair(ptx "." __simulator_ptx "x2 %0, %1;", name(a.x), name(a.y),             \
                        __simulator_word(a));                                                   \
  }
__simulator_h_unary(__hneg, __hneg2, "neg", Format::negate(a.__x))
__simulator_h_unary(__habs, __habs2, "abs", Format::magnitude(a.__x))
#undef __simulator_h_unary

__simulator_host_device __simulator_h __hfma(__simulator_h a, __simulator_h b, __simulator_h c) {
  unsigned short bits;
  __simulator_h_compute("fma.rn." __simulator_ptx " %0, %1, %2, %3;",
                        (__simulator_half::__simulator_format::fused(a.__x, b.__x, c.__x)), bits,
                        "h"(a.__x), "h"(b.__x), "h"(c.__x));
  return __simulator_of(bits);
}
__simulator_host_device __simulator_h2 __hfma2(__simulator_h2 a, __simulator_h2 b,
                                               __simulator_h2 c) {
  __simulator_on_pair("fma.rn." __simulator_ptx "x2 %0, %1, %2, %3;", __hfma(a.x, b.x, c.x),
                      __hfma(a.y, b.y, c.y), __simulator_word(a), __simulator_word(b),
                      __simulator_word(c));
}
/// Returns a b + c, and 0 in the place of a negative result.
__simulator_host_device __simulator_h __hfma_relu(__simulator_h a, __simulator_h b,
                                                  __simulator_h c) {
  const __simulator_h r = __hfma(a, b, c);
  using Format = __simulator_half::__simulator_format;
  return !Format::is_nan(r.__x) && (r.__x & 0x8000) != 0 ? __simulator_of(0) : r;
}
__simulator_host_device __simulator_h2 __hfma2_relu(__simulator_h2 a, __simulator_h2 b,
                                                    __simulator_h2 c) {
  return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};
}
/// The _sat forms limit a result to 0 to 1, and give 0 for NaN.
__simulator_host_device __simulator_h __simulator_join(__simulator_, __simulator_to, _saturated)(
    __simulator_h h) {
  using Format = __simulator_half::__simulator_format;
  constexpr unsigned one = Format::Bias << Format::Fraction;
  if (Format::is_nan(h.__x) || (h.__x & 0x8000) != 0) return __simulator_of(0);
  return h.__x > one ? __simulator_of(one) : h;
}
#define __simulator_saturated __simulator_join(__simulator_, __simulator_to, _saturated)
#define __simulator_h_saturated(name)                                                          \
  __simulator_host_device __simulator_h name##_sat(__simulator_h a, __simulator_h b) {         \
    return __simulator_saturated(name(a, b));                                                  \
  }                                                                                            \
  __simulator_host_device __simulator_h2 name##2_sat(__simulator_h2 a, __simulator_h2 b) {     \
    return {name##_sat(a.x, b.x), name##_sat(a.y, b.y)};                                       \
  }
__simulator_h_saturated(__hadd)
__simulator_h_saturated(__hsub)
__simulator_h_saturated(__hmul)
#undef __simulator_h_saturated
__simulator_host_device __simulator_h __hfma_sat(__simulator_h a, __simulator_h b,
                                                 __simulator_h c) {
  return __simulator_saturated(__hfma(a, b, c));
}
__simulator_host_device __simulator_h2 __hfma2_sat(__simulator_h2 a, __simulator_h2 b,
                                                   __simulator_h2 c) {
  return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};
}
/// Rounds the quotient once. A device may differ in the last place.
__simulator_host_device __simulator_h __hdiv(__simulator_h a, __simulator_h b) {
  return __simulator_h(__simulator_number(a.__x) / __simulator_number(b.__x));
}
__simulator_host_device __simulator_h2 __h2div(__simulator_h2 a, __simulator_h2 b) {
  return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)};
}

// ---- Comparisons. With NaN the plain ones are false, and those that end in u are true.

#define __simulator_h_compare(name, condition)                                                  \
  __simulator_host_device bool __h##name(__simulator_h a, __simulator_h b) {                    \
    const float x = __simulator_number(a.__x), y = __simulator_number(b.__x);                   \
    const bool unordered = x != x || y != y;                                                    \
    return !unordered && condition;                                                             \
  }                                                                                             \
  __simulator_host_device bool __h##name##u(__simulator_h a, __simulator_h b) {                 \
    const float x = __simulator_number(a.__x), y = __simulator_number(b.__x);                   \
    const bool unordered = x != x || y != y;                                                    \
    return unordered || condition;                                                              \
  }                                                                                             \
  __simulator_h_compare_pairs(name) __simulator_h_compare_pairs(name##u)
#define __simulator_h_compare_pairs(name)                                                       \
  __simulator_host_device __simulator_h2 __h##name##2(__simulator_h2 a, __simulator_h2 b) {     \
    return {__simulator_h(__h##name(a.x, b.x) ? 1.0f : 0.0f),                                   \
            __simulator_h(__h##name(a.y, b.y) ? 1.0f : 0.0f)};                                  \
  }                                                                                             \
  __simulator_host_device unsigned int __h##name##2_mask(__simulator_h2 a, __simulator_h2 b) {  \
    return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);     \
  }                                                                                             \
  __simulator_host_device bool __hb##name##2(__simulator_h2 a, __simulator_h2 b) {              \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                          \
  }
__simulator_h_compare(eq, x == y)
__simulator_h_compare(ne, x != y)
__simulator_h_compare(lt, x < y)
__simulator_h_compare(le, x <= y)
__simulator_h_compare(gt, x > y)
__simulator_h_compare(ge, x >= y)
#undef __simulator_h_compare
#undef __simulator_h_compare_pairs
__simulator_host_device bool __hisnan(__simulator_h a) {
  return __simulator_half::__simulator_format::is_nan(a.__x);
}
/// Returns 1 for infinity, -1 for minus infinity, otherwise 0.
__simulator_host_device int __hisinf(__simulator_h a) {
  if (!__simulator_half::__simulator_format::is_infinite(a.__x)) return 0;
  return (a.__x & 0x8000) != 0 ? -1 : 1;
}
__simulator_host_device __simulator_h2 __hisnan2(__simulator_h2 a) {
  return {__simulator_h(__hisnan(a.x) ? 1.0f : 0.0f), __simulator_h(__hisnan(a.y) ? 1.0f : 0.0f)};
}

// ---- Operators.

#define __simulator_h_operator(symbol, name, name2)                                               \
  __simulator_host_device __simulator_h operator symbol(const __simulator_h& a,                   \
                                                        const __simulator_h& b) {                 \
    return name(a, b);                                                                            \
  }                                                                                               \
  __simulator_host_device __simulator_h& operator symbol##=(__simulator_h& a,                     \
                                                            const __simulator_h& b) {             \
    return a = name(a, b);                                                                        \
  }                                                                                               \
  __simulator_host_device __simulator_h2 operator symbol(const __simulator_h2& a,                 \
                                                         const __simulator_h2& b) {               \
    return name2(a, b);                                                                           \
  }                                                                                               \
  __simulator_host_device __simulator_h2& operator symbol##=(__simulator_h2& a,                   \
                                                             const __simulator_h2& b) {           \
    return a = name2(a, b);                                                                       \
  }
__simulator_h_operator(+, __hadd, __hadd2)
__simulator_h_operator(-, __hsub, __hsub2)
__simulator_h_operator(*, __hmul, __hmul2)
__simulator_h_operator(/, __hdiv, __h2div)
#undef __simulator_h_operator

#define __simulator_h_relation(symbol, name)                                                      \
  __simulator_host_device bool operator symbol(const __simulator_h& a, const __simulator_h& b) {  \
    return __h##name(a, b);                                                                       \
  }                                                                                               \
  __simulator_host_device bool operator symbol(const __simulator_h2& a, const __simulator_h2& b) { \
    return __hb##name##2(a, b);                                                                   \
  }
__simulator_h_relation(==, eq)
__simulator_h_relation(!=, neu)
__simulator_h_relation(<, lt)
__simulator_h_relation(<=, le)
__simulator_h_relation(>, gt)
__simulator_h_relation(>=, ge)
#undef __simulator_h_relation

__simulator_host_device __simulator_h operator+(const __simulator_h& a) { return a; }
__simulator_host_device __simulator_h operator-(const __simulator_h& a) { return __hneg(a); }
__simulator_host_device __simulator_h2 operator+(const __simulator_h2& a) { return a; }
__simulator_host_device __simulator_h2 operator-(const __simulator_h2& a) { return __hneg2(a); }
#define __simulator_h_step(symbol, sign)                                             \
  __simulator_host_device __simulator_h& operator symbol(__simulator_h& a) {         \
    return a = __hadd(a, __simulator_h(sign));                                       \
  }                                                                                  \
  __simulator_host_device __simulator_h operator symbol(__simulator_h& a, int) {     \
    const __simulator_h before = a;                                                  \
    symbol a;                                                                        \
    return before;                                                                   \
  }                                                                                  \
  __simulator_host_device __simulator_h2& operator symbol(__simulator_h2& a) {       \
    return a = __hadd2(a, __simulator_h2(__simulator_h(sign), __simulator_h(sign))); \
  }                                                                                  \
  __simulator_host_device __simulator_h2 operator symbol(__simulator_h2& a, int) {   \
    const __simulator_h2 before = a;                                                 \
    symbol a;                                                                        \
    return before;                                                                   \
  }
__simulator_h_step(++, 1.0f)
__simulator_h_step(--, -1.0f)
#undef __simulator_h_step

#if defined(__CUDA__)

// ---- Mathematics: the function in single precision, rounded. A device may differ in the last place.

#define __simulator_h_function(name, expression)                                           \
  __simulator_device __simulator_h h##name(__simulator_h a) {                              \
    const float x = __simulator_number(a.__x);                                             \
    return __simulator_h(expression);                                                      \
  }                                                                                        \
  __simulator_device __simulator_h2 h2##name(__simulator_h2 a) {                           \
    return {h##name(a.x), h##name(a.y)};                                                   \
  }
__simulator_h_function(sqrt, sqrtf(x))
__simulator_h_function(rsqrt, rsqrtf(x))
__simulator_h_function(rcp, 1.0f / x)
__simulator_h_function(exp, expf(x))
__simulator_h_function(exp2, exp2f(x))
__simulator_h_function(exp10, exp10f(x))
__simulator_h_function(log, logf(x))
__simulator_h_function(log2, log2f(x))
__simulator_h_function(log10, log10f(x))
__simulator_h_function(sin, sinf(x))
__simulator_h_function(cos, cosf(x))
__simulator_h_function(tanh, tanhf(x))
__simulator_h_function(ceil, ceilf(x))
__simulator_h_function(floor, floorf(x))
__simulator_h_function(trunc, truncf(x))
__simulator_h_function(rint, rintf(x))
#undef __simulator_h_function

// ---- Between lanes, and memory.

#define __simulator_h_shuffle(mode, third)                                                         \
  __simulator_device __simulator_h __shfl##mode##_sync(unsigned int mask, __simulator_h value,     \
                                                       third lane, int width = 32) {               \
    return __simulator_of(                                                                         \
        __shfl##mode##_sync(mask, static_cast<unsigned int>(value.__x), lane, width));             \
  }                                                                                                \
  __simulator_device __simulator_h2 __shfl##mode##_sync(unsigned int mask, __simulator_h2 value,   \
                                                        third lane, int width = 32) {              \
    return __builtin_bit_cast(                                                                     \
        __simulator_h2,                                                                            \
        __shfl##mode##_sync(mask, __builtin_bit_cast(unsigned int, value), lane, width));          \
  }
__simulator_h_shuffle(, int)
__simulator_h_shuffle(_up, unsigned int)
__simulator_h_shuffle(_down, unsigned int)
__simulator_h_shuffle(_xor, int)
#undef __simulator_h_shuffle

__simulator_device __simulator_h atomicAdd(__simulator_h* address, __simulator_h value) {
  unsigned short old;
  asm volatile("atom.add.noftz." __simulator_ptx " %0, [%1], %2;"
               : "=h"(old)
               : "l"(address), "h"(value.__x)
               : "memory");
  return __simulator_of(old);
}
__simulator_device __simulator_h2 atomicAdd(__simulator_h2* address, __simulator_h2 value) {
  unsigned int old;
  asm volatile("atom.add.noftz." __simulator_ptx "x2 %0, [%1], %2;"
               : "=r"(old)
               : "l"(address), __simulator_word(value)
               : "memory");
  return __builtin_bit_cast(__simulator_h2, old);
}
#define __simulator_h_load(name)                                                               \
  __simulator_device __simulator_h name(const __simulator_h* pointer) {                        \
    return __simulator_of(name(reinterpret_cast<const unsigned short*>(pointer)));             \
  }                                                                                            \
  __simulator_device __simulator_h2 name(const __simulator_h2* pointer) {                      \
    return __builtin_bit_cast(__simulator_h2,                                                  \
                              name(reinterpret_cast<const unsigned int*>(pointer)));           \
  }
__simulator_h_load(__ldg)
__simulator_h_load(__ldcg)
__simulator_h_load(__ldca)
__simulator_h_load(__ldcs)
__simulator_h_load(__ldlu)
__simulator_h_load(__ldcv)
#undef __simulator_h_load

#define __simulator_h_store(name)                                                   \
  __simulator_device void name(__simulator_h* pointer, __simulator_h value) {       \
    name(reinterpret_cast<unsigned short*>(pointer), value.__x);                    \
  }                                                                                 \
  __simulator_device void name(__simulator_h2* pointer, __simulator_h2 value) {     \
    name(reinterpret_cast<unsigned int*>(pointer), __builtin_bit_cast(unsigned int, value)); \
  }
__simulator_h_store(__stwb)
__simulator_h_store(__stcg)
__simulator_h_store(__stcs)
__simulator_h_store(__stwt)
#undef __simulator_h_store

#endif

#undef __simulator_h_compute
#undef __simulator_rounded
#undef __simulator_number
#undef __simulator_whole
#undef __simulator_of
#undef __simulator_saturated
#undef __simulator_on_pair
#undef __simulator_word
#undef __simulator_join
#undef __simulator_join_
#undef __simulator_h
#undef __simulator_h2
#undef __simulator_raw
#undef __simulator_raw2
#undef __simulator_to
#undef __simulator_to2
#undef __simulator_2_to2
#undef __simulator_make2
#undef __simulator_format
#undef __simulator_ptx
