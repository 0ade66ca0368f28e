// make_char1(x) to make_double4(x, y, z, w), on host and device.
#pragma once
#pragma GCC system_header

#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#define __simulator_make(type, name)                                               \
  __simulator_host_device name##1 make_##name##1(type x) { return name##1{x}; }    \
  __simulator_host_device name##2 make_##name##2(type x, type y) {                 \
    return name##2{x, y};                                                          \
  }                                                                                \
  __simulator_host_device name##3 make_##name##3(type x, type y, type z) {         \
    return name##3{x, y, z};                                                       \
  }                                                                                \
  __simulator_host_device name##4 make_##name##4(type x, type y, type z, type w) { \
    return name##4{x, y, z, w};                                                    \
  }

__simulator_make(signed char, char)
__simulator_make(unsigned char, uchar)
__simulator_make(short, short)
__simulator_make(unsigned short, ushort)
__simulator_make(int, int)
__simulator_make(unsigned int, uint)
__simulator_make(float, float)
__simulator_make(long, long)
__simulator_make(unsigned long, ulong)
__simulator_make(long long, longlong)
__simulator_make(unsigned long long, ulonglong)
__simulator_make(double, double)

#undef __simulator_make
