// CUDA's vector types, char1 to double4, and dim3.
//
// They are plain aggregates: float4{1, 2, 3, 4}, &v.x and reinterpret_cast<float4*>(p) work as with nvcc. A copy
// of a type of 16 bytes or more must stay 16-byte accesses, because the lesson on vector loads depends on it. If
// arrays of floats are cast to the type on both sides, as in FETCH_FLOAT4(registers[0]) =
// FETCH_FLOAT4(As[k][row]), clang sees no type with this width. So these types assign themselves as a vector type
// of the compiler's. Construction stays trivial, and so does passing them to a kernel. Only std::bit_cast and
// similar are lost, because they require trivial assignment.
#pragma once
#pragma GCC system_header

#define __VECTOR_TYPES_H__

#include "host_defines.h"

#ifdef __cplusplus
#define __simulator_assign_wide(name, type, lanes)                                        \
  __attribute__((always_inline, nodebug)) __host__ __device__ name& operator=(            \
      const name& other) {                                                                \
    typedef type wide __attribute__((ext_vector_type(lanes), aligned(16), may_alias));    \
    constexpr unsigned parts = sizeof(name) / sizeof(wide);                               \
    for (unsigned i = 0; i < parts; ++i) {                                                \
      reinterpret_cast<wide*>(this)[i] = reinterpret_cast<const wide*>(&other)[i];        \
    }                                                                                     \
    return *this;                                                                         \
  }
#else  // C has no assignment of its own
#define __simulator_assign_wide(name, type, lanes)
#endif

/// Types whose widest vector is at most 8 bytes.
#define __simulator_narrow_vectors(type, name, alignment2, alignment4) \
  struct name##1 {                                                     \
    type x;                                                            \
  };                                                                   \
  struct __align__(alignment2) name##2 {                               \
    type x, y;                                                         \
  };                                                                   \
  struct name##3 {                                                     \
    type x, y, z;                                                      \
  };                                                                   \
  struct __align__(alignment4) name##4 {                               \
    type x, y, z, w;                                                   \
  };

/// Types of 4 bytes: the fourth vector is one 16-byte access.
#define __simulator_word_vectors(type, name)  \
  struct name##1 {                            \
    type x;                                   \
  };                                          \
  struct __align__(8) name##2 {               \
    type x, y;                                \
  };                                          \
  struct name##3 {                            \
    type x, y, z;                             \
  };                                          \
  struct __align__(16) name##4 {              \
    type x, y, z, w;                          \
    __simulator_assign_wide(name##4, type, 4) \
  };

/// Types of 8 bytes: the second vector is one 16-byte access, the fourth two.
#define __simulator_double_word_vectors(type, name) \
  struct name##1 {                                  \
    type x;                                         \
  };                                                \
  struct __align__(16) name##2 {                    \
    type x, y;                                      \
    __simulator_assign_wide(name##2, type, 2)       \
  };                                                \
  struct name##3 {                                  \
    type x, y, z;                                   \
  };                                                \
  struct __align__(16) name##4 {                    \
    type x, y, z, w;                                \
    __simulator_assign_wide(name##4, type, 2)       \
  };

// In C a struct's name alone is no type.
#define __simulator_name_types(name) \
  typedef struct name##1 name##1;    \
  typedef struct name##2 name##2;    \
  typedef struct name##3 name##3;    \
  typedef struct name##4 name##4;

__simulator_narrow_vectors(signed char, char, 2, 4)
__simulator_narrow_vectors(unsigned char, uchar, 2, 4)
__simulator_narrow_vectors(short, short, 4, 8)
__simulator_narrow_vectors(unsigned short, ushort, 4, 8)
__simulator_word_vectors(int, int)
__simulator_word_vectors(unsigned int, uint)
__simulator_word_vectors(float, float)
__simulator_double_word_vectors(long, long)
__simulator_double_word_vectors(unsigned long, ulong)
__simulator_double_word_vectors(long long, longlong)
__simulator_double_word_vectors(unsigned long long, ulonglong)
__simulator_double_word_vectors(double, double)

__simulator_name_types(char)
__simulator_name_types(uchar)
__simulator_name_types(short)
__simulator_name_types(ushort)
__simulator_name_types(int)
__simulator_name_types(uint)
__simulator_name_types(float)
__simulator_name_types(long)
__simulator_name_types(ulong)
__simulator_name_types(longlong)
__simulator_name_types(ulonglong)
__simulator_name_types(double)

#undef __simulator_narrow_vectors
#undef __simulator_word_vectors
#undef __simulator_double_word_vectors
#undef __simulator_assign_wide
#undef __simulator_name_types

/// The shape of a grid or a block. Dimensions left out are 1.
struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;
