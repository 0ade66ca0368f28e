// The functions for dynamic programming (DPX), for host and device: the larger or smaller of sums and numbers, of 32 bits or of
// two times 16 bits in a word. Sums wrap. With _relu no result is negative. A GPU before Hopper computes them in several
// instructions, and so does the simulated one.
#pragma once
#pragma GCC system_header

#if defined(__CUDA__)

#include "host_defines.h"

namespace __simulator_dpx {

template <typename T>
__simulator_host_device T larger(T x, T y) {
  return x > y ? x : y;
}
template <typename T>
__simulator_host_device T smaller(T x, T y) {
  return x < y ? x : y;
}
template <typename T>
__simulator_host_device T sum(T x, T y) {
  return static_cast<T>(static_cast<unsigned int>(x) + static_cast<unsigned int>(y));
}

__simulator_host_device unsigned int joined(unsigned int high, unsigned int low) {
  return high << 16 | (low & 0xffff);
}

}  // namespace __simulator_dpx

// Defines a function of three words of 32 bits, and one that does the same to their halves. `result` depends on x, y and z of type T.
#define __simulator_dpx_word(name, type, result)                      \
  __simulator_host_device type name(type x, type y, type z) {         \
    using namespace __simulator_dpx;                                  \
    using T = type;                                                   \
    return result;                                                    \
  }
#define __simulator_dpx_halves(name, type, result)                                              \
  __simulator_host_device unsigned int name(unsigned int a, unsigned int b, unsigned int c) {   \
    using namespace __simulator_dpx;                                                            \
    using T = type;                                                                             \
    T of_half[2];                                                                               \
    for (int i = 0; i < 2; ++i) {                                                               \
      const T x = static_cast<T>(a >> 16 * i), y = static_cast<T>(b >> 16 * i),                 \
              z = static_cast<T>(c >> 16 * i);                                                  \
      of_half[i] = result;                                                                      \
    }                                                                                           \
    return joined(static_cast<unsigned int>(of_half[1]), static_cast<unsigned int>(of_half[0])); \
  }
#define __simulator_dpx(name, result)                                                  \
  __simulator_dpx_word(name##_s32, int, result)                                        \
  __simulator_dpx_word(name##_u32, unsigned int, result)                               \
  __simulator_dpx_word(name##_s32_relu, int, (larger<T>(result, 0)))                   \
  __simulator_dpx_halves(name##_s16x2, short, result)                                  \
  __simulator_dpx_halves(name##_u16x2, unsigned short, result)                         \
  __simulator_dpx_halves(name##_s16x2_relu, short, (larger<T>(result, 0)))

__simulator_dpx(__vimax3, (larger(larger(x, y), z)))
__simulator_dpx(__vimin3, (smaller(smaller(x, y), z)))
__simulator_dpx(__viaddmax, (larger(sum(x, y), z)))
__simulator_dpx(__viaddmin, (smaller(sum(x, y), z)))

#undef __simulator_dpx
#undef __simulator_dpx_word
#undef __simulator_dpx_halves

// Of two numbers.
__simulator_host_device int __vimax_s32_relu(int a, int b) { return __vimax3_s32(a, b, 0); }
__simulator_host_device int __vimin_s32_relu(int a, int b) { return __vimin3_s32_relu(a, b, b); }
__simulator_host_device unsigned int __vimax_s16x2_relu(unsigned int a, unsigned int b) { return __vimax3_s16x2(a, b, 0); }
__simulator_host_device unsigned int __vimin_s16x2_relu(unsigned int a, unsigned int b) { return __vimin3_s16x2_relu(a, b, b); }

// Of two numbers, with a flag that tells whether `a` is the result.
#define __simulator_dpx_choice(name, type, better)                                             \
  __simulator_host_device type name(type a, type b, bool* is_a) {                              \
    *is_a = a better b;                                                                        \
    return *is_a ? a : b;                                                                      \
  }
#define __simulator_dpx_choices(name, type, better)                                                          \
  __simulator_host_device unsigned int name(unsigned int a, unsigned int b, bool* is_high_a, bool* is_low_a) { \
    *is_high_a = static_cast<type>(a >> 16) better static_cast<type>(b >> 16);                               \
    *is_low_a = static_cast<type>(a) better static_cast<type>(b);                                            \
    return __simulator_dpx::joined((*is_high_a ? a : b) >> 16, *is_low_a ? a : b);                           \
  }
__simulator_dpx_choice(__vibmax_s32, int, >=)
__simulator_dpx_choice(__vibmax_u32, unsigned int, >=)
__simulator_dpx_choice(__vibmin_s32, int, <=)
__simulator_dpx_choice(__vibmin_u32, unsigned int, <=)
__simulator_dpx_choices(__vibmax_s16x2, short, >=)
__simulator_dpx_choices(__vibmax_u16x2, unsigned short, >=)
__simulator_dpx_choices(__vibmin_s16x2, short, <=)
__simulator_dpx_choices(__vibmin_u16x2, unsigned short, <=)
#undef __simulator_dpx_choice
#undef __simulator_dpx_choices

#endif
