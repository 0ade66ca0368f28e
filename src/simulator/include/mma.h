// nvcuda::wmma: products of tiles on tensor cores, over the mma.sync instructions of the simulated GPU.
//
// Half precision with sums in float or half, BF16 and TF32 with sums in float, whole numbers of 8 bits with sums in int, and
// double. A fragment's x[i] has a place in the tile that is this header's own: as with nvcc, a program may only use it to do the
// same thing to all elements.
#pragma once
#pragma GCC system_header

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#if defined(__CUDA__)

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
namespace precision {
struct tf32;
}
enum layout_t { mem_row_major, mem_col_major };

__simulator_host_device float __float_to_tf32(float x) {
#if defined(__CUDA_ARCH__)
  unsigned int bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return __builtin_bit_cast(float, bits);
#else
  return __builtin_bit_cast(float, __simulator_half::Tf32::ties_away(__builtin_bit_cast(unsigned int, x)));
#endif
}

namespace __simulator_wmma {

template <typename T>
struct Element {
  using type = T;
};
template <>
struct Element<precision::tf32> {
  using type = float;
};

// The number of elements of a factor in a register; 0 for a type that is none.
template <typename T>
constexpr unsigned int per_register = 0;
template <>
inline constexpr unsigned int per_register<precision::tf32> = 1;
template <>
inline constexpr unsigned int per_register<double> = 1;
template <>
inline constexpr unsigned int per_register<__half> = 2;
template <>
inline constexpr unsigned int per_register<__nv_bfloat16> = 2;
template <>
inline constexpr unsigned int per_register<signed char> = 4;
template <>
inline constexpr unsigned int per_register<unsigned char> = 4;

// True if products of T can be summed in S.
template <typename T, typename Sum>
constexpr bool is_sum_of = __is_same(Sum, float);
template <>
inline constexpr bool is_sum_of<__half, __half> = true;
template <typename Sum>
constexpr bool is_sum_of<double, Sum> = __is_same(Sum, double);
template <typename Sum>
constexpr bool is_sum_of<signed char, Sum> = __is_same(Sum, int);
template <typename Sum>
constexpr bool is_sum_of<unsigned char, Sum> = __is_same(Sum, int);

template <int Rows, int Columns, int Depth, typename T>
constexpr bool is_shape = __is_same(T, double)            ? Rows == 8 && Columns == 8 && Depth == 4
                          : __is_same(T, precision::tf32) ? Rows == 16 && Columns == 16 && Depth == 8
                                                          : Depth == 16 && ((Rows == 16 && Columns == 16) || (Rows == 32 && Columns == 8) ||
                                                                        (Rows == 8 && Columns == 32));

struct Place {
  unsigned int along, k;  // of a factor: its row of A or column of B, and k; of a sum: its row and column
};

__simulator_device unsigned int lane() { return __nvvm_read_ptx_sreg_laneid(); }

// An mma.sync multiplies 16 x K by K x 8; of doubles 8 x 4 by 4 x 8. A tile of M x N is cut into such products along its longer
// side. If M is less than N, the roles are exchanged: the transposed product is computed.
template <int Rows, int Columns>
constexpr bool exchanged = Rows < Columns;
template <int Rows, int Columns>
constexpr int parts = Rows * Columns > 128 ? Rows * Columns / 128 : 1;

// Returns the place of element i of the factor with 16 rows (`tall`) or with 8 columns. Each 16 or 8 is one part.
template <bool Tall, int Depth, unsigned int PerRegister>
__simulator_device Place factor_place(unsigned int i) {
  constexpr unsigned int per_part = (Tall ? 16 : 8) * Depth / 32;
  const unsigned int part = i / per_part, in_part = i % per_part;
  const unsigned int across = lane() / 4, along = lane() % 4;
  const unsigned int reg = in_part / PerRegister;
  const unsigned int k_step = Tall ? reg / 2 : reg;
  const unsigned int row = across + (Tall ? 8 * (reg % 2) + 16 * part : 8 * part);
  return {row, PerRegister * along + in_part % PerRegister + 4 * PerRegister * k_step};
}

}  // namespace __simulator_wmma

/// A part of a tile: of A (M x K), B (K x N), or the sums (M x N), as this lane holds it.
template <typename Use, int Rows, int Columns, int Depth, typename T, typename Layout = void>
struct fragment {
  static constexpr bool is_sum = __is_same(Use, accumulator);
  static_assert(!is_sum || __is_same(T, float) || __is_same(T, __half) || __is_same(T, int) || __is_same(T, double),
                "the simulated GPU has sums in float, half, int and double");
  static_assert(is_sum || __simulator_wmma::per_register<T> != 0,
                "the simulated GPU multiplies tiles of half, __nv_bfloat16, precision::tf32, signed char, unsigned char "
                "and double");
  static_assert(is_sum || __simulator_wmma::is_shape<Rows, Columns, Depth, T>,
                "tiles are 16x16x16, 32x8x16 or 8x32x16; 16x16x8 of tf32, 8x8x4 of double");

  using element_type = typename __simulator_wmma::Element<T>::type;
  using storage_element_type = element_type;
  static constexpr int num_elements = (is_sum ? Rows * Columns : __is_same(Use, matrix_a) ? Rows * Depth : Depth * Columns) / 32;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];
};

namespace __simulator_wmma {

// Calls use(i, row, column) for each element of a fragment.
template <typename Use, int Rows, int Columns, int Depth, typename T, typename Layout, typename Function>
__simulator_device void for_each(const fragment<Use, Rows, Columns, Depth, T, Layout>& f, Function use) {
  constexpr bool is_a = __is_same(Use, matrix_a);
#pragma unroll
  for (unsigned int i = 0; i < f.num_elements; ++i) {
    if constexpr (__is_same(Use, accumulator)) {
      // One product after the other, each with four elements.
      const unsigned int part = i / 4, in_part = i % 4;
      unsigned int row = lane() / 4 + 8 * (in_part / 2);
      unsigned int column = lane() % 4 * 2 + in_part % 2;
      (Rows == 16 ? column : row) += Rows == 16 ? 8 * part : 16 * part;
      if (exchanged<Rows, Columns>) {
        use(i, column, row);
      } else {
        use(i, row, column);
      }
    } else {
      const Place place = factor_place<is_a != exchanged<Rows, Columns>, Depth, per_register<T>>(i);
      if (is_a) {
        use(i, place.along, place.k);
      } else {
        use(i, place.k, place.along);
      }
    }
  }
}

#define __simulator_attributes __attribute__((always_inline, nodebug))

// Returns register i of a fragment with these elements.
template <typename Number>
__simulator_device unsigned int word(const Number* x, int i) {
  if constexpr (sizeof(Number) == 4) {
    return __builtin_bit_cast(unsigned int, x[i]);
  } else if constexpr (sizeof(Number) == 2) {
    return __builtin_bit_cast(unsigned short, x[2 * i]) |
           static_cast<unsigned int>(__builtin_bit_cast(unsigned short, x[2 * i + 1])) << 16;
  } else {
    unsigned int all = 0;
    for (int byte = 3; byte >= 0; --byte)
      all = all << 8 | __builtin_bit_cast(unsigned char, x[4 * i + byte]);
    return all;
  }
}

#define __simulator_mma(shape)                                                                     \
  asm volatile("mma.sync.aligned." shape " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "         \
               "{%10, %11, %12, %13};"                                                             \
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])                                    \
               : "r"(word(a, 0)), "r"(word(a, 1)), "r"(word(a, 2)), "r"(word(a, 3)), "r"(word(b, 0)), \
                 "r"(word(b, 1)), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]))
#define __simulator_mma_of_bytes(types)                                                            \
  asm volatile("mma.sync.aligned.m16n8k16.row.col." types " {%0, %1, %2, %3}, {%4, %5}, {%6}, "    \
               "{%7, %8, %9, %10};"                                                                \
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                    \
               : "r"(word(a, 0)), "r"(word(a, 1)), "r"(word(b, 0)), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]))

// One mma.sync: D = A B + C. If SATURATES, sums beyond an int's range become its ends.
template <typename T, bool Saturates, typename Sum, typename Number>
__simulator_device void multiply(Sum* d, const Number* a, const Number* b, const Sum* c) {
  if constexpr (__is_same(T, double)) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
                 : "=d"(d[0]), "=d"(d[1])
                 : "d"(a[0]), "d"(b[0]), "d"(c[0]), "d"(c[1]));
  } else if constexpr (__is_same(T, signed char)) {
    if constexpr (Saturates) __simulator_mma_of_bytes("satfinite.s32.s8.s8.s32");
    else __simulator_mma_of_bytes("s32.s8.s8.s32");
  } else if constexpr (__is_same(T, unsigned char)) {
    if constexpr (Saturates) __simulator_mma_of_bytes("satfinite.s32.u8.u8.s32");
    else __simulator_mma_of_bytes("s32.u8.u8.s32");
  } else if constexpr (__is_same(Sum, __half)) {
    unsigned int low, high;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
                 : "=r"(low), "=r"(high)
                 : "r"(word(a, 0)), "r"(word(a, 1)), "r"(word(a, 2)), "r"(word(a, 3)), "r"(word(b, 0)),
                   "r"(word(b, 1)), "r"(word(c, 0)), "r"(word(c, 1)));
    for (int i = 0; i < 4; ++i)
      d[i] = __builtin_bit_cast(__half, static_cast<unsigned short>((i < 2 ? low : high) >> 16 * (i % 2)));
  } else if constexpr (__is_same(T, precision::tf32)) {
    __simulator_mma("m16n8k8.row.col.f32.tf32.tf32.f32");
  } else if constexpr (__is_same(T, __half)) {
    __simulator_mma("m16n8k16.row.col.f32.f16.f16.f32");
  } else {
    __simulator_mma("m16n8k16.row.col.f32.bf16.bf16.f32");
  }
}
#undef __simulator_mma
#undef __simulator_mma_of_bytes

// The products of the parts of a tile.
template <bool Saturates, int Rows, int Columns, int Depth, typename T, typename OfA, typename OfB, typename Sum>
__simulator_device void multiply_parts(fragment<accumulator, Rows, Columns, Depth, Sum>& d, const fragment<matrix_a, Rows, Columns, Depth, T, OfA>& a,
                                       const fragment<matrix_b, Rows, Columns, Depth, T, OfB>& b,
                                       const fragment<accumulator, Rows, Columns, Depth, Sum>& c) {
  static_assert(is_sum_of<T, Sum>,
                "the simulated GPU sums half in float or half, bytes in int, double in double, and other types in float");
  constexpr int all = parts<Rows, Columns>;
  const int sums = d.num_elements / all;
#pragma unroll
  for (int part = 0; part < all; ++part) {
    Sum* const to = d.x + sums * part;
    const Sum* const from = c.x + sums * part;
    const auto* const of_a = a.x + (Rows > 16 ? part * a.num_elements / all : 0);  // parts of A below one another
    const auto* const of_b = b.x + (Columns > 8 ? part * b.num_elements / all : 0);   // parts of B beside one another
    if constexpr (exchanged<Rows, Columns>) multiply<T, Saturates>(to, of_b, of_a, from);
    else multiply<T, Saturates>(to, of_a, of_b, from);
  }
}

}  // namespace __simulator_wmma

template <typename Use, int Rows, int Columns, int Depth, typename T, typename Layout, typename Value>
__simulator_device void fill_fragment(fragment<Use, Rows, Columns, Depth, T, Layout>& f, const Value& value) {
  using Number = typename fragment<Use, Rows, Columns, Depth, T, Layout>::element_type;
#pragma unroll
  for (int i = 0; i < f.num_elements; ++i) f.x[i] = static_cast<Number>(value);
}

/// Loads a factor in its fragment's layout. `stride`: elements from one row, or column, to the next.
template <typename Use, int Rows, int Columns, int Depth, typename T, typename Layout, typename Number>
__simulator_device void load_matrix_sync(fragment<Use, Rows, Columns, Depth, T, Layout>& f, const Number* from,
                                         unsigned int stride) {
  static_assert(!__is_same(Use, accumulator), "sums are loaded with a layout: mem_row_major");
  __syncwarp();
  __simulator_wmma::for_each(f, [&](unsigned int i, unsigned int row, unsigned int column)
                                    __simulator_attributes {
    const bool by_rows = __is_same(Layout, row_major);
    f.x[i] = from[by_rows ? row * stride + column : column * stride + row];
  });
}
template <int Rows, int Columns, int Depth, typename Sum>
__simulator_device void load_matrix_sync(fragment<accumulator, Rows, Columns, Depth, Sum>& f, const Sum* from, unsigned int stride,
                                         layout_t layout) {
  __syncwarp();
  __simulator_wmma::for_each(f, [&](unsigned int i, unsigned int row, unsigned int column)
                                    __simulator_attributes {
    f.x[i] = from[layout == mem_row_major ? row * stride + column : column * stride + row];
  });
}
template <int Rows, int Columns, int Depth, typename Sum>
__simulator_device void store_matrix_sync(Sum* to, const fragment<accumulator, Rows, Columns, Depth, Sum>& f, unsigned int stride,
                                          layout_t layout) {
  __syncwarp();
  __simulator_wmma::for_each(f, [&](unsigned int i, unsigned int row, unsigned int column)
                                    __simulator_attributes {
    to[layout == mem_row_major ? row * stride + column : column * stride + row] = f.x[i];
  });
}

/// D = A B + C. C and D have one type here.
template <int Rows, int Columns, int Depth, typename T, typename OfA, typename OfB, typename Sum>
__simulator_device void mma_sync(fragment<accumulator, Rows, Columns, Depth, Sum>& d, const fragment<matrix_a, Rows, Columns, Depth, T, OfA>& a,
                                 const fragment<matrix_b, Rows, Columns, Depth, T, OfB>& b,
                                 const fragment<accumulator, Rows, Columns, Depth, Sum>& c) {
  __simulator_wmma::multiply_parts<false>(d, a, b, c);
}
/// With `saturate`, sums beyond an int's range become its ends. Else they wrap.
template <int Rows, int Columns, int Depth, typename T, typename OfA, typename OfB>
__simulator_device void mma_sync(fragment<accumulator, Rows, Columns, Depth, int>& d, const fragment<matrix_a, Rows, Columns, Depth, T, OfA>& a,
                                 const fragment<matrix_b, Rows, Columns, Depth, T, OfB>& b,
                                 const fragment<accumulator, Rows, Columns, Depth, int>& c, bool saturate) {
  if (saturate) {
    __simulator_wmma::multiply_parts<true>(d, a, b, c);
  } else {
    __simulator_wmma::multiply_parts<false>(d, a, b, c);
  }
}

#undef __simulator_attributes

}  // namespace wmma
}  // namespace nvcuda

#endif
