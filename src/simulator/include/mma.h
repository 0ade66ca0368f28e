// nvcuda::wmma: products of tiles on tensor cores, over the mma.sync instructions of the simulated GPU.
//
// Half precision, BF16 and TF32 with sums in FP32. A fragment's x[i] has a place in the tile that is this header's
// own: as with nvcc, a program may only use it to do the same thing to all elements.
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
  return __builtin_bit_cast(float, __simulator_half::TF32::ties_away(__builtin_bit_cast(unsigned int, x)));
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

template <typename T>
constexpr bool is_tf32 = false;
template <>
constexpr bool is_tf32<precision::tf32> = true;
template <typename T>
constexpr bool is_factor = is_tf32<T>;
template <>
constexpr bool is_factor<__half> = true;
template <>
constexpr bool is_factor<__nv_bfloat16> = true;

template <int M, int N, int K, typename T>
constexpr bool is_shape = is_tf32<T> ? M == 16 && N == 16 && K == 8
                                     : K == 16 && ((M == 16 && N == 16) || (M == 32 && N == 8) ||
                                                   (M == 8 && N == 32));

struct Place {
  unsigned int along, k;  // of a factor: its row of A or column of B, and k; of a sum: its row and column
};

__simulator_device unsigned int lane() { return __nvvm_read_ptx_sreg_laneid(); }

// An mma.sync multiplies 16 x K by K x 8. A tile of M x N is cut into such products along its longer side. If M is
// 8, the roles are exchanged: the transposed product is computed.
template <int M>
constexpr bool exchanged = M == 8;

// Returns the place of element i of the factor with 16 rows (`tall`) or with 8 columns. Each 16 or 8 is one part.
template <bool TALL, bool TF32>
__simulator_device Place factor_place(unsigned int i) {
  constexpr unsigned int per_part = TALL ? (TF32 ? 4 : 8) : (TF32 ? 2 : 4);
  const unsigned int part = i / per_part, in_part = i % per_part;
  const unsigned int across = lane() / 4, along = lane() % 4;
  const unsigned int reg = TF32 ? in_part : in_part / 2;
  const unsigned int k_step = TALL ? reg / 2 : reg;
  const unsigned int row = across + (TALL ? 8 * (reg % 2) + 16 * part : 8 * part);
  return {row, TF32 ? along + 4 * k_step : 2 * along + in_part % 2 + 8 * k_step};
}

}  // namespace __simulator_wmma

/// A part of a tile: of A (M x K), B (K x N), or the sums (M x N), as this lane holds it.
template <typename Use, int M, int N, int K, typename T, typename Layout = void>
struct fragment {
  static constexpr bool is_sum = __is_same(Use, accumulator);
  static_assert(!is_sum || __is_same(T, float),
                "the simulated GPU has sums in float alone: fragment<accumulator, M, N, K, float>");
  static_assert(is_sum || __simulator_wmma::is_factor<T>,
                "the simulated GPU multiplies tiles of half, __nv_bfloat16 and precision::tf32");
  static_assert(is_sum || __simulator_wmma::is_shape<M, N, K, T>,
                "tiles are 16x16x16, 32x8x16 or 8x32x16, and 16x16x8 of tf32");

  using element_type = typename __simulator_wmma::Element<T>::type;
  using storage_element_type = element_type;
  static constexpr int num_elements = (is_sum ? M * N : __is_same(Use, matrix_a) ? M * K : K * N) / 32;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];
};

namespace __simulator_wmma {

// Calls use(i, row, column) for each element of a fragment.
template <typename Use, int M, int N, int K, typename T, typename Layout, typename F>
__simulator_device void for_each(const fragment<Use, M, N, K, T, Layout>& f, F use) {
  constexpr bool is_a = __is_same(Use, matrix_a);
#pragma unroll
  for (unsigned int i = 0; i < f.num_elements; ++i) {
    if constexpr (__is_same(Use, accumulator)) {
      // One product after the other, each with four elements.
      const unsigned int part = i / 4, in_part = i % 4;
      unsigned int row = lane() / 4 + 8 * (in_part / 2);
      unsigned int column = lane() % 4 * 2 + in_part % 2;
      (M == 16 ? column : row) += M == 16 ? 8 * part : 16 * part;
      if (exchanged<M>) {
        use(i, column, row);
      } else {
        use(i, row, column);
      }
    } else {
      const Place place = factor_place<is_a != exchanged<M>, is_tf32<T>>(i);
      if (is_a) {
        use(i, place.along, place.k);
      } else {
        use(i, place.k, place.along);
      }
    }
  }
}

#define __simulator_attributes __attribute__((always_inline, nodebug))

template <typename T, typename E>
__simulator_device unsigned int word(const E* x) {
  if constexpr (is_tf32<T>) return __builtin_bit_cast(unsigned int, x[0]);
  else return __builtin_bit_cast(unsigned short, x[0]) |
              static_cast<unsigned int>(__builtin_bit_cast(unsigned short, x[1])) << 16;
}

#define __simulator_mma(shape)                                                                     \
  asm volatile("mma.sync.aligned." shape " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "         \
               "{%10, %11, %12, %13};"                                                             \
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])                                    \
               : "r"(word<T>(a)), "r"(word<T>(a + per)), "r"(word<T>(a + 2 * per)),                \
                 "r"(word<T>(a + 3 * per)), "r"(word<T>(b)), "r"(word<T>(b + per)), "f"(c[0]),     \
                 "f"(c[1]), "f"(c[2]), "f"(c[3]))

template <typename T, typename E>
__simulator_device void multiply(float* d, const E* a, const E* b, const float* c) {
  constexpr int per = is_tf32<T> ? 1 : 2;
  if constexpr (is_tf32<T>) {
    __simulator_mma("m16n8k8.row.col.f32.tf32.tf32.f32");
  } else if constexpr (__is_same(T, __half)) {
    __simulator_mma("m16n8k16.row.col.f32.f16.f16.f32");
  } else {
    __simulator_mma("m16n8k16.row.col.f32.bf16.bf16.f32");
  }
}
#undef __simulator_mma

}  // namespace __simulator_wmma

template <typename Use, int M, int N, int K, typename T, typename Layout, typename V>
__simulator_device void fill_fragment(fragment<Use, M, N, K, T, Layout>& f, const V& value) {
  using E = typename fragment<Use, M, N, K, T, Layout>::element_type;
#pragma unroll
  for (int i = 0; i < f.num_elements; ++i) f.x[i] = static_cast<E>(value);
}

/// Loads a factor in its fragment's layout. `stride`: elements from one row, or column, to the next.
template <typename Use, int M, int N, int K, typename T, typename Layout, typename E>
__simulator_device void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& f, const E* from,
                                         unsigned int stride) {
  static_assert(!__is_same(Use, accumulator), "sums are loaded with a layout: mem_row_major");
  __syncwarp();
  __simulator_wmma::for_each(f, [&](unsigned int i, unsigned int row, unsigned int column)
                                    __simulator_attributes {
    const bool by_rows = __is_same(Layout, row_major);
    f.x[i] = from[by_rows ? row * stride + column : column * stride + row];
  });
}
template <int M, int N, int K>
__simulator_device void load_matrix_sync(fragment<accumulator, M, N, K, float>& f, const float* from,
                                         unsigned int stride, layout_t layout) {
  __syncwarp();
  __simulator_wmma::for_each(f, [&](unsigned int i, unsigned int row, unsigned int column)
                                    __simulator_attributes {
    f.x[i] = from[layout == mem_row_major ? row * stride + column : column * stride + row];
  });
}
template <int M, int N, int K>
__simulator_device void store_matrix_sync(float* to, const fragment<accumulator, M, N, K, float>& f,
                                          unsigned int stride, layout_t layout) {
  __syncwarp();
  __simulator_wmma::for_each(f, [&](unsigned int i, unsigned int row, unsigned int column)
                                    __simulator_attributes {
    to[layout == mem_row_major ? row * stride + column : column * stride + row] = f.x[i];
  });
}

/// D = A B + C.
template <int M, int N, int K, typename T, typename OfA, typename OfB>
__simulator_device void mma_sync(fragment<accumulator, M, N, K, float>& d,
                                 const fragment<matrix_a, M, N, K, T, OfA>& a,
                                 const fragment<matrix_b, M, N, K, T, OfB>& b,
                                 const fragment<accumulator, M, N, K, float>& c) {
  constexpr int parts = M * N / (16 * 8);
#pragma unroll
  for (int part = 0; part < parts; ++part) {
    float* const to = d.x + 4 * part;
    const float* const from = c.x + 4 * part;
    if constexpr (M == 16) {  // parts of B beside one another
      __simulator_wmma::multiply<T>(to, a.x, b.x + part * b.num_elements / parts, from);
    } else if constexpr (M == 32) {  // parts of A below one another
      __simulator_wmma::multiply<T>(to, a.x + part * a.num_elements / parts, b.x, from);
    } else {
      __simulator_wmma::multiply<T>(to, b.x + part * b.num_elements / parts, a.x, from);
    }
  }
}

#undef __simulator_attributes

}  // namespace wmma
}  // namespace nvcuda

#endif
