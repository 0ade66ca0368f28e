// ldmatrix, stmatrix, mma.sync and wgmma. mma.sync: D = A B + C, A of M x K, B of K x 8, C and D of M x 8 elements spread over a warp's
// registers.
//
// A tensor core does not round like IEEE arithmetic. On compute capability 9.0 each element of D is computed as follows
// (measured on an H200: docs/simulator.md, test/device/tensor_bits.cu):
//   1. The products are exact. A product's exponent is the sum of its factors' exponents, without normalising.
//   2. Products and C are aligned to the largest exponent of the terms that are not zero. Bits below 2^-25 of it are cut off.
//   3. They are added exactly, and the sum is cut off to FP32, toward zero. Zero is +0, and so is a sum that
//      is cut off to zero.
// In half precision C and D differ in the last step: the exact sum is rounded to the nearest number of half precision, ties to
// even. In double precision D is a chain of fused multiply-adds, from k = 0 on. In whole numbers all is exact.
#include "simulator/execute/level/matrix.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "lens/fragments.hpp"
#include "simulator/count/timeline.hpp"
#include "simulator/execute/level/lanes.hpp"
#include "simulator/execute/level/memory_handlers.hpp"
#include "simulator/execute/scalar/half_precision.hpp"
#include "simulator/execute/watch/layouts.hpp"
#include "simulator/execute/watch/observer.hpp"
#include "simulator/memory/matrix_descriptor.hpp"

BEGIN_LEVEL
namespace {

constexpr size_t M = 16, N = 8;
constexpr int KEPT_BITS = 25;         // below the largest exponent
constexpr int NO_EXPONENT = -100000;  // of zero: below any other
constexpr uint32_t CANONICAL_NAN = 0x7fffffff;

// ---- Factors.

// TOP: the exponent's bits of the first element in a register. BETWEEN: from it to the next element.
struct F16 {
  static constexpr int FRACTION = 10, EXPONENT = 5, IN_A_REGISTER = 2;
  static constexpr uint32_t MAGNITUDES = 0x7fff7fff, TOP = 0x7c00, BETWEEN = 16;
};
struct BF16 {
  static constexpr int FRACTION = 7, EXPONENT = 8, IN_A_REGISTER = 2;
  static constexpr uint32_t MAGNITUDES = 0x7fff7fff, TOP = 0x7f80, BETWEEN = 16;
};
// An FP32 number whose lower 13 bits the tensor core does not read.
struct TF32 {
  static constexpr int FRACTION = 10, EXPONENT = 8, IN_A_REGISTER = 1;
  static constexpr uint32_t MAGNITUDES = 0x7fffe000, TOP = 0x7f800000, BETWEEN = 0;
};

// A tile's elements taken apart: an element is significand * 2^(exponent - FRACTION).
template <size_t COUNT>
struct alignas(64) Factors {
  std::array<int32_t, COUNT> significand, exponent;  // signed; NO_EXPONENT for zero
  bool is_special = false;                           // True if an element is infinite or NaN
};

// Takes the `place`th element out of a register.
template <typename Format>
uint32_t element(uint32_t word, size_t place) {
  if constexpr (Format::IN_A_REGISTER == 1) return word >> 13;
  return place == 0 ? word & 0xffff : word >> 16;
}

template <typename Format>
constexpr int SIGN = Format::FRACTION + Format::EXPONENT;

template <typename Format, size_t COUNT>
void take_apart(const std::array<uint32_t, COUNT>& bits, Factors<COUNT>& into) {
  constexpr int32_t TOP = (1 << Format::EXPONENT) - 1, BIAS = TOP >> 1;
  int32_t special = 0;
  for (size_t i = 0; i < COUNT; ++i) {
    const auto word = static_cast<int32_t>(bits[i]);
    const int32_t biased = word >> Format::FRACTION & TOP;
    const int32_t fraction = word & ((1 << Format::FRACTION) - 1);
    const int32_t magnitude = fraction | (biased != 0 ? 1 << Format::FRACTION : 0);
    into.significand[i] = (word >> SIGN<Format> & 1) != 0 ? -magnitude : magnitude;
    into.exponent[i] = magnitude == 0 ? NO_EXPONENT : std::max(biased, 1) - BIAS;
    special |= biased == TOP ? 1 : 0;
  }
  into.is_special = special != 0;
}

// ---- Infinities and NaN.

enum class Class { finite, infinite, nan };

template <typename Format>
Class class_of(uint32_t bits) {
  constexpr uint32_t TOP = (1u << Format::EXPONENT) - 1;
  if ((bits >> Format::FRACTION & TOP) != TOP) return Class::finite;
  return (bits & ((1u << Format::FRACTION) - 1)) == 0 ? Class::infinite : Class::nan;
}

// The infinities and NaN among an element's terms. Returns true if they decide the result, and sets it.
class Special {
 public:
  template <typename Format>
  void add(uint32_t a, uint32_t b) {
    const Class of_a = class_of<Format>(a), of_b = class_of<Format>(b);
    constexpr uint32_t WITHOUT_SIGN = (1u << SIGN<Format>)-1;
    const bool has_zero = (a & WITHOUT_SIGN) == 0 || (b & WITHOUT_SIGN) == 0;
    const bool has_infinity = of_a == Class::infinite || of_b == Class::infinite;
    is_nan_ |= of_a == Class::nan || of_b == Class::nan || (has_infinity && has_zero);
    if (has_infinity) infinity_[(a ^ b) >> SIGN<Format> & 1] = true;
  }
  void add(uint32_t c) {
    if ((c >> 23 & 0xff) != 0xff) return;
    if ((c & 0x7fffff) != 0) {
      is_nan_ = true;
    } else {
      infinity_[c >> 31] = true;
    }
  }
  bool decides(uint32_t& result) const {
    if (is_nan_ || (infinity_[0] && infinity_[1])) {
      result = CANONICAL_NAN;
    } else if (infinity_[0] || infinity_[1]) {
      result = infinity_[0] ? 0x7f800000 : 0xff800000;
    } else {
      return false;
    }
    return true;
  }

 private:
  bool is_nan_ = false;
  std::array<bool, 2> infinity_{};  // positive, negative
};

// ---- Sums.

// Returns sum * 2^(exponent - KEPT_BITS) in FP32, cut off toward zero. Beyond FP32's range it is infinite.
uint32_t cut_off(int64_t sum, int32_t exponent) {
  if (sum == 0) return 0;
  const uint32_t sign = sum < 0 ? 0x80000000u : 0;
  const auto magnitude = static_cast<uint64_t>(sum < 0 ? -sum : sum);
  const int top = 63 - std::countl_zero(magnitude);
  const int32_t of_top = top + exponent - KEPT_BITS;
  if (of_top > 127) return sign | 0x7f800000u;
  const int lowest = std::max(of_top - 23, -149);  // exponent of the result's last bit
  const int shift = lowest - (exponent - KEPT_BITS);
  const uint64_t kept = shift >= 64 ? 0 : shift >= 0 ? magnitude >> shift : magnitude << -shift;
  const uint32_t biased = of_top < -126 ? 0 : static_cast<uint32_t>(of_top + 127);
  if (biased == 0 && kept == 0) return 0;  // of a negative sum, too
  return sign | biased << 23 | (static_cast<uint32_t>(kept) & 0x7fffff);
}

// Neighbouring elements of a row of D.
template <size_t COLUMNS>
using Row = int32_t __attribute__((ext_vector_type(COLUMNS)));

template <size_t COLUMNS>
Row<COLUMNS> row_of(const int32_t* from) {
  Row<COLUMNS> row;
  __builtin_memcpy(&row, from, sizeof row);
  return row;
}

// Returns value >> distance with the magnitude cut off, for distance >= 0.
template <typename Row>
Row cut_right(Row value, Row distance) {
  const Row sign = value >> 31;
  const Row most = 31;
  const Row by = distance < most ? distance : most;
  return (((value ^ sign) - sign) >> by ^ sign) - sign;
}

// How a sum becomes an FP32 number.
enum class Rest {
  cut_off,
  // The last bit of the FP32 number is set if bits below it were lost. A second rounding to half precision then gives what one
  // rounding of the whole sum would give: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008.
  kept_in_last_bit,
};

// Stores (sum + added) * 2^(exponent - KEPT_BITS) in FP32, cut off toward zero, for a row of D.
template <Rest REST, typename Row>
void cut_off_row(Row sum, Row added, Row exponent, uint32_t* d) {
  constexpr size_t COLUMNS = sizeof(Row) / sizeof(int32_t);
  using Doubles = double __attribute__((ext_vector_type(COLUMNS)));
  using Bits = uint64_t __attribute__((ext_vector_type(COLUMNS)));
  // Between these exponents each result is zero or a normal number: sum + added is less than 2^33.
  const Row lowest = KEPT_BITS - 126, highest = 119, none = NO_EXPONENT;
  const Row usual = ((exponent >= lowest) & (exponent <= highest)) | (exponent == none);
  if (__builtin_reduce_and(usual) != 0) [[likely]] {
    // All steps are exact: the sum in 53 bits, its product with a power of two, and FP32 once the lower bits are gone.
    constexpr int32_t BIAS = 1023, FRACTION = 52, CUT = FRACTION - 23;
    const Row biased = (exponent > lowest ? exponent : lowest) - KEPT_BITS + BIAS;
    const Bits power = __builtin_convertvector(biased, Bits) << uint64_t{FRACTION};
    const Doubles exact =
        (__builtin_convertvector(sum, Doubles) + __builtin_convertvector(added, Doubles)) *
        __builtin_bit_cast(Doubles, power);
    constexpr uint64_t LOST = (uint64_t{1} << CUT) - 1;
    Bits kept = __builtin_bit_cast(Bits, exact) & ~LOST;
    if constexpr (REST == Rest::kept_in_last_bit) {
      const Bits lost = __builtin_bit_cast(Bits, exact) & LOST;
      kept |= __builtin_bit_cast(Bits, lost != 0) & uint64_t{1} << CUT;
    }
    using Floats = float __attribute__((ext_vector_type(COLUMNS)));
    const Floats rounded = __builtin_convertvector(__builtin_bit_cast(Doubles, kept), Floats);
    __builtin_memcpy(d, &rounded, sizeof rounded);
    return;
  }
  std::array<int32_t, COLUMNS> sums, addends, exponents;
  __builtin_memcpy(sums.data(), &sum, sizeof sum);
  __builtin_memcpy(addends.data(), &added, sizeof added);
  __builtin_memcpy(exponents.data(), &exponent, sizeof exponent);
  for (size_t n = 0; n < COLUMNS; ++n) d[n] = cut_off(int64_t{sums[n]} + addends[n], exponents[n]);
}

// The accumulators of one row of C.
template <typename Row>
struct Accumulators {
  Row significand, exponent;  // significand * 2^(exponent - 23)
};

template <typename Row>
Accumulators<Row> take_apart(Row word) {
  const Row biased = word >> 23 & 0xff, fraction = word & 0x7fffff, zero = 0, one = 1;
  const Row magnitude = fraction | (biased != zero ? Row(1 << 23) : zero);
  const Row sign = word >> 31;
  const Row exponent = (biased > one ? biased : one) - 127;
  return {(magnitude ^ sign) - sign, magnitude == zero ? Row(NO_EXPONENT) : exponent};
}

// C without products: D is C, and every zero is +0.
constexpr uint32_t without_products(uint32_t c) { return (c & 0x7fffffff) == 0 ? 0 : c; }

// D = A B + C of finite elements. a: M x K, b: K x COLUMNS, c and d: M x COLUMNS, row-major.
template <typename Format, size_t K, size_t COLUMNS, Rest REST>
void multiply(const Factors<M * K>& a, const Factors<K * COLUMNS>& b, const uint32_t* c,
              uint32_t* d) {
  using Row = Row<COLUMNS>;
  constexpr int PRODUCT_SHIFT = KEPT_BITS - 2 * Format::FRACTION;
  for (size_t row = 0; row < M; ++row) {
    int32_t any = 0;
    for (size_t k = 0; k < K; ++k) any |= a.significand[row * K + k];
    if (any == 0) {  // often: rows beyond a small matrix
      for (size_t n = 0; n < COLUMNS; ++n)
        d[row * COLUMNS + n] = without_products(c[row * COLUMNS + n]);
      continue;
    }
    const Accumulators<Row> accumulator =
        take_apart(row_of<COLUMNS>(reinterpret_cast<const int32_t*>(c + row * COLUMNS)));
    Row largest = accumulator.exponent;
    for (size_t k = 0; k < K; ++k) {
      const Row exponent = a.exponent[row * K + k] + row_of<COLUMNS>(&b.exponent[k * COLUMNS]);
      largest = exponent > largest ? exponent : largest;
    }
    Row sum = 0;  // K products of less than 2^27 each: 32 bits are enough for them
    for (size_t k = 0; k < K; ++k) {
      const Row exponent = a.exponent[row * K + k] + row_of<COLUMNS>(&b.exponent[k * COLUMNS]);
      const Row product = a.significand[row * K + k] * row_of<COLUMNS>(&b.significand[k * COLUMNS]);
      sum += cut_right(product << PRODUCT_SHIFT, largest - exponent);
    }
    const Row added =
        cut_right(accumulator.significand << (KEPT_BITS - 23), largest - accumulator.exponent);
    cut_off_row<REST>(sum, added, largest, d + row * COLUMNS);
  }
}

// D = A B + C of any elements. a: M x K, b: K x COLUMNS, c and d: M x COLUMNS, row-major.
template <typename Format, size_t K, size_t COLUMNS, Rest REST = Rest::cut_off>
void multiply_bits(const std::array<uint32_t, M * K>& a_bits,
                   const std::array<uint32_t, K * COLUMNS>& b_bits,
                   const std::array<uint32_t, M * COLUMNS>& c,
                   std::array<uint32_t, M * COLUMNS>& d) {
  Factors<M * K> a;
  Factors<K * COLUMNS> b;
  take_apart<Format>(a_bits, a);
  take_apart<Format>(b_bits, b);
  multiply<Format, K, COLUMNS, REST>(a, b, c.data(), d.data());
  uint32_t special_c = 0;
  for (const uint32_t word : c) special_c |= (word >> 23 & 0xff) == 0xff ? 1 : 0;
  if (!a.is_special && !b.is_special && special_c == 0) [[likely]]
    return;
  for (size_t row = 0; row < M; ++row) {
    for (size_t n = 0; n < COLUMNS; ++n) {
      Special special;
      special.add(c[row * COLUMNS + n]);
      for (size_t k = 0; k < K; ++k)
        special.add<Format>(a_bits[row * K + k], b_bits[k * COLUMNS + n]);
      special.decides(d[row * COLUMNS + n]);
    }
  }
}

// ---- Fragments: see lens/fragments.hpp.

// Calls each(register, lane, part of the register, row, column) for all elements of an A of ROWS rows, PER of them in a register.
template <size_t PER, size_t K, size_t ROWS = M, typename Each>
void for_each_of_a(Each&& each) {
  for (size_t reg = 0; reg < ROWS * K / WARP / PER; ++reg) {
    for (size_t lane = 0; lane < WARP; ++lane) {
      for (size_t part = 0; part < PER; ++part) {
        const auto [row, column] = lens::place_in_a(lane, reg, part, PER);
        each(reg, lane, part, row, column);
      }
    }
  }
}

template <size_t PER, size_t K, typename Each>
void for_each_of_b(Each&& each) {
  for (size_t reg = 0; reg < K * N / WARP / PER; ++reg) {
    for (size_t lane = 0; lane < WARP; ++lane) {
      for (size_t part = 0; part < PER; ++part) {
        const auto [row, column] = lens::place_in_b(lane, reg, part, PER);
        each(reg, lane, part, row, column);
      }
    }
  }
}

template <size_t PER = 1, size_t ROWS = M, typename Each>
void for_each_of_c(Each&& each) {
  for (size_t reg = 0; reg < ROWS * N / WARP / PER; ++reg) {
    for (size_t lane = 0; lane < WARP; ++lane) {
      for (size_t part = 0; part < PER; ++part) {
        const auto [row, column] = lens::place_in_c(lane, reg, part, PER);
        each(reg, lane, part, row, column);
      }
    }
  }
}

void require_whole_warp(const Warp& w) {
  if (w.active == ALL_LANES) return;
  throw WarpFault{{.kind = FaultKind::incomplete_warp,
                   .lanes_here = static_cast<uint32_t>(std::popcount(w.active))},
                  std::countr_zero(w.active)};
}

// ldmatrix and stmatrix: matrices of 8 rows of 8 elements of 16 bits. Lane 8 m + r has the address of row r of matrix m.
constexpr size_t MATRIX_ROWS = 8, MATRIX_COLUMNS = 8;
using MatrixRow = std::array<uint16_t, MATRIX_COLUMNS>;
template <size_t COUNT>
using MatrixRows = std::array<MatrixRow, MATRIX_ROWS * COUNT>;

// Finds the rows of COUNT matrices in shared memory. Leaves only the lanes with a row's address active.
template <size_t COUNT>
Located locate_rows(Warp& w, const Op& op) {
  constexpr uint32_t WITH_ADDRESS = COUNT == 4 ? ALL_LANES : (1u << MATRIX_ROWS * COUNT) - 1;
  require_whole_warp(w);
  AddressStorage storage;
  Addresses address = addresses_of_a(w, op, storage);
  if (address.of(0) - SHARED_WINDOW < WINDOW_BYTES) address.offset -= SHARED_WINDOW;
  set_active(w, WITH_ADDRESS);
  return locate_shared<Watch, sizeof(MatrixRow)>(w, op.site(Site::shared), address);
}

// Calls each(lane, first element, second element) for a matrix: register m of lane l holds elements 2 (l % 4) and
// 2 (l % 4) + 1 of row l / 4, or of column l / 4 if TRANSPOSED.
template <bool TRANSPOSED, typename Rows, typename Each>
void for_each_of_matrix(Rows& rows, size_t matrix, Each&& each) {
  const auto element_at = [&](size_t across, size_t along) -> auto& {
    return rows[matrix * MATRIX_ROWS + (TRANSPOSED ? along : across)][TRANSPOSED ? across : along];
  };
  for (size_t lane = 0; lane < WARP; ++lane) {
    const size_t across = lane / 4, along = lane % 4 * 2;
    each(lane, element_at(across, along), element_at(across, along + 1));
  }
}

template <size_t COUNT, bool TRANSPOSED>
void load_matrices(Warp& w, const Op& op) {
  const Located located = locate_rows<COUNT>(w, op);
  ++w.shared_loads;
  if (Watch::looks_for_hazards(w)) [[unlikely]]
    Watch::touch(w, located.site, located.pattern, located.first, nullptr);
  MatrixRows<COUNT> rows;
  for (size_t row = 0; row < rows.size(); ++row)
    std::memcpy(&rows[row], located[static_cast<int>(row)], sizeof(MatrixRow));
  set_active(w, ALL_LANES);
  for (size_t matrix = 0; matrix < COUNT; ++matrix) {
    uint32_t* const words = result_of<uint32_t>(w, op.lists->d[matrix]);
    for_each_of_matrix<TRANSPOSED>(rows, matrix, [&](size_t lane, uint16_t low, uint16_t high) {
      words[lane] = low | uint32_t{high} << 16;
    });
  }
}

template <size_t COUNT, bool TRANSPOSED>
void store_matrices(Warp& w, const Op& op) {
  const Located located = locate_rows<COUNT>(w, op);
  ++w.changes;
  MatrixRows<COUNT> rows;
  for (size_t matrix = 0; matrix < COUNT; ++matrix) {
    const uint32_t* const words = lanes_of<uint32_t>(w, op.lists->d[matrix]);
    for_each_of_matrix<TRANSPOSED>(rows, matrix, [&](size_t lane, uint16_t& low, uint16_t& high) {
      low = static_cast<uint16_t>(words[lane]);
      high = static_cast<uint16_t>(words[lane] >> 16);
    });
  }
  if (Watch::looks_for_hazards(w)) [[unlikely]]
    Watch::touch(w, located.site, located.pattern, located.first,
                 reinterpret_cast<const std::byte*>(rows.data()));
  for (size_t row = 0; row < rows.size(); ++row)
    std::memcpy(located[static_cast<int>(row)], &rows[row], sizeof(MatrixRow));
  set_active(w, ALL_LANES);
}

// A fragment's elements, over all lanes and registers.
struct Contents {
  bool is_zero = true, is_finite = true;
};

template <typename Format>
Contents contents_of(const Warp& w, const std::vector<Slot>& slots) {
  Lanes<uint32_t> magnitudes = 0;
  uint32_t special = 0;
  for (const Slot slot : slots) {
    const Lanes<uint32_t> words = read<uint32_t>(w, slot);
    magnitudes |= words & Format::MAGNITUDES;
    for (uint32_t place = 0; place < Format::IN_A_REGISTER; ++place) {
      const Lanes<uint32_t> top = Format::TOP << place * Format::BETWEEN;
      special |= to_bits((words & top) == top);
    }
  }
  return {to_bits(magnitudes != 0) == 0, special == 0};
}

bool is_finite(const Warp& w, const std::vector<Slot>& slots) {
  const Lanes<uint32_t> top = 0x7f800000;
  return std::ranges::all_of(
      slots, [&](Slot slot) { return to_bits((read<uint32_t>(w, slot) & top) == top) == 0; });
}

// Computes the product if A or B is all zeros, as outside a small matrix. Returns false if neither is, or if infinities or NaN
// may change the result.
template <typename Format>
bool add_nothing(Warp& w, const Op& op) {
  const Contents a = contents_of<Format>(w, op.lists->a), b = contents_of<Format>(w, op.lists->b);
  if (!(a.is_zero || b.is_zero) || !a.is_finite || !b.is_finite || !is_finite(w, op.lists->c))
    return false;
  for (size_t reg = 0; reg < op.lists->d.size(); ++reg) {
    const uint32_t* const c = lanes_of<uint32_t>(w, op.lists->c[reg]);
    uint32_t* const d = result_of<uint32_t>(w, op.lists->d[reg]);
    for (size_t lane = 0; lane < WARP; ++lane) d[lane] = without_products(c[lane]);
  }
  return true;
}

void begin_product(Warp& w) {
  require_whole_warp(w);
  if (w.block->timeline != nullptr) w.block->timeline->multiply(w.number);
}

// A lane's number in one of the registers of a fragment.
template <typename T>
T number_in(const Warp& w, const std::vector<Slot>& slots, size_t reg, size_t lane) {
  return lanes_of<T>(w, slots[reg])[lane];
}

// Takes the elements of A out of a warp's registers.
template <typename Format, size_t K>
void take_a(const Warp& w, const Op& op, std::array<uint32_t, M * K>& a) {
  constexpr size_t PER = Format::IN_A_REGISTER;
  for_each_of_a<PER, K>([&](size_t reg, size_t lane, size_t part, size_t row, size_t column) {
    a[row * K + column] = element<Format>(number_in<uint32_t>(w, op.lists->a, reg, lane), part);
  });
}

// The elements of A and B of a warp's product, taken out of its registers.
template <typename Format, size_t K>
struct FactorBits {
  std::array<uint32_t, M * K> a;
  std::array<uint32_t, K * N> b;

  FactorBits(const Warp& w, const Op& op) {
    constexpr size_t PER = Format::IN_A_REGISTER;
    take_a<Format, K>(w, op, a);
    for_each_of_b<PER, K>([&](size_t reg, size_t lane, size_t part, size_t row, size_t column) {
      b[row * N + column] = element<Format>(number_in<uint32_t>(w, op.lists->b, reg, lane), part);
    });
  }
};

using Sums = std::array<uint32_t, M * N>;

template <typename Format, size_t K>
void multiply_fragments(Warp& w, const Op& op) {
  begin_product(w);
  if (add_nothing<Format>(w, op)) return;
  const FactorBits<Format, K> factors(w, op);
  alignas(64) Sums c, d;
  for_each_of_c([&](size_t reg, size_t lane, size_t, size_t row, size_t column) {
    c[row * N + column] = number_in<uint32_t>(w, op.lists->c, reg, lane);
  });
  multiply_bits<Format, K, N>(factors.a, factors.b, c, d);
  for_each_of_c([&](size_t reg, size_t lane, size_t, size_t row, size_t column) {
    result_of<uint32_t>(w, op.lists->d[reg])[lane] = d[row * N + column];
  });
}

// D and C in half precision, two elements in a register.
template <size_t K>
void multiply_with_half_sums(Warp& w, const Op& op) {
  constexpr size_t PER = F16::IN_A_REGISTER;
  begin_product(w);
  const FactorBits<F16, K> factors(w, op);
  alignas(64) Sums c, d;
  for_each_of_c<PER>([&](size_t reg, size_t lane, size_t part, size_t row, size_t column) {
    c[row * N + column] = element<F16>(number_in<uint32_t>(w, op.lists->c, reg, lane), part);
  });
  halves_to_singles(c);
  multiply_bits<F16, K, N, Rest::kept_in_last_bit>(factors.a, factors.b, c, d);
  singles_to_halves(d);
  for_each_of_c<PER>([&](size_t reg, size_t lane, size_t part, size_t row, size_t column) {
    constexpr uint32_t SIGN_BIT = 1u << SIGN<F16>;
    uint32_t& result = d[row * N + column];
    if (result == SIGN_BIT) result = 0;  // no sum is -0
    uint32_t& word = result_of<uint32_t>(w, op.lists->d[reg])[lane];
    word = part == 0 ? result : word | result << 16;
  });
}

// Whole numbers: ROWS x K of 8 bits times K x N, with sums of 32 bits.
template <typename T, size_t ROWS, size_t K, bool SATURATES>
void multiply_integers(Warp& w, const Op& op) {
  constexpr size_t PER = sizeof(uint32_t);
  begin_product(w);
  std::array<int32_t, ROWS * K> a;
  std::array<int32_t, K * N> b;
  const auto byte = [](uint32_t word, size_t part) { return static_cast<T>(word >> 8 * part); };
  for_each_of_a<PER, K, ROWS>([&](size_t reg, size_t lane, size_t part, size_t row, size_t column) {
    a[row * K + column] = byte(number_in<uint32_t>(w, op.lists->a, reg, lane), part);
  });
  for_each_of_b<PER, K>([&](size_t reg, size_t lane, size_t part, size_t row, size_t column) {
    b[row * N + column] = byte(number_in<uint32_t>(w, op.lists->b, reg, lane), part);
  });
  std::array<int32_t, ROWS * N> d;
  for_each_of_c<1, ROWS>([&](size_t reg, size_t lane, size_t, size_t row, size_t column) {
    int32_t products = 0;
    for (size_t k = 0; k < K; ++k) products += a[row * K + k] * b[k * N + column];
    const int64_t sum = int64_t{number_in<int32_t>(w, op.lists->c, reg, lane)} + products;
    using Limits = std::numeric_limits<int32_t>;
    d[row * N + column] = static_cast<int32_t>(
        SATURATES ? std::clamp<int64_t>(sum, Limits::min(), Limits::max()) : sum);
  });
  for_each_of_c<1, ROWS>([&](size_t reg, size_t lane, size_t, size_t row, size_t column) {
    result_of<int32_t>(w, op.lists->d[reg])[lane] = d[row * N + column];
  });
}

// Double precision: 8 x 4 times 4 x 8.
void multiply_doubles(Warp& w, const Op& op) {
  constexpr size_t ROWS = 8, K = 4;
  begin_product(w);
  std::array<double, ROWS * K> a;
  std::array<double, K * N> b;
  for_each_of_a<1, K, ROWS>([&](size_t reg, size_t lane, size_t, size_t row, size_t column) {
    a[row * K + column] = number_in<double>(w, op.lists->a, reg, lane);
  });
  for_each_of_b<1, K>([&](size_t reg, size_t lane, size_t, size_t row, size_t column) {
    b[row * N + column] = number_in<double>(w, op.lists->b, reg, lane);
  });
  std::array<double, ROWS * N> d;
  for_each_of_c<1, ROWS>([&](size_t reg, size_t lane, size_t, size_t row, size_t column) {
    double sum = number_in<double>(w, op.lists->c, reg, lane);
    for (size_t k = 0; k < K; ++k) sum = std::fma(a[row * K + k], b[k * N + column], sum);
    d[row * N + column] = sum;
  });
  for_each_of_c<1, ROWS>([&](size_t reg, size_t lane, size_t, size_t row, size_t column) {
    result_of<double>(w, op.lists->d[reg])[lane] = d[row * N + column];
  });
}

// ---- wgmma: A and B from shared memory.

constexpr size_t WARPS_OF_A_GROUP = 4;

// Reads matrices in shared memory for one wgmma of a warp.
template <typename Format, size_t K>
class SharedMatrices {
 public:
  static constexpr size_t LINES = MatrixDescriptor::LINES;
  using Bits = std::array<uint32_t, LINES * K>;  // (line, k)

  explicit SharedMatrices(const Warp& w) : warp_(w), watches_(Watch::looks_for_hazards(w)) {}

  // Returns eight lines of a matrix.
  Bits lines(const MatrixDescriptor& of, size_t first, bool across_k) {
    Bits bits;
    Piece piece;
    if (across_k) {
      for (size_t k = 0; k < K; ++k) {
        read(of.piece_of_k(first, k), piece);
        for (size_t i = 0; i < LINES; ++i) bits[i * K + k] = element_of(piece, i);
      }
      return bits;
    }
    constexpr size_t IN_A_PIECE = sizeof(Piece) / BYTES;
    for (size_t i = 0; i < LINES; ++i) {
      for (size_t k = 0; k < K; k += IN_A_PIECE) {
        read(of.piece_of_line(first + i, k * BYTES), piece);
        for (size_t j = 0; j < IN_A_PIECE; ++j) bits[i * K + k + j] = element_of(piece, j);
      }
    }
    return bits;
  }

  // Returns the pieces that were read, if hazards are looked for.
  std::vector<uint64_t>& pieces() { return pieces_; }

 private:
  static constexpr size_t BYTES = 4 / Format::IN_A_REGISTER;
  using Piece = std::array<std::byte, MatrixDescriptor::PIECE>;

  void read(uint64_t offset, Piece& piece) {
    const uint64_t limit = warp_.block->shared_bytes;
    if (offset + sizeof piece > limit) {
      throw WarpFault{{.kind = FaultKind::out_of_bounds,
                       .address = std::max(offset, limit),
                       .place = {.kind = AddressKind::shared, .bytes = limit},
                       .action = FaultAction::reads},
                      0};
    }
    std::memcpy(piece.data(), warp_.block->shared + offset, sizeof piece);
    if (watches_) [[unlikely]]
      pieces_.push_back(offset);
  }
  static uint32_t element_of(const Piece& piece, size_t i) {
    uint32_t word = 0;
    std::memcpy(&word, piece.data() + i * BYTES, BYTES);
    return BYTES == 2 ? word : element<Format>(word, 0);
  }

  const Warp& warp_;
  const bool watches_;
  std::vector<uint64_t> pieces_{};
};

// Computes COLUMNS columns of a warp's part of D, whose registers are `slots`.
template <typename Format, size_t K, size_t COLUMNS>
void multiply_columns(Warp& w, const Op& op, const std::array<uint32_t, M * K>& a_bits,
                      const std::array<uint32_t, K * COLUMNS>& b_bits, const Slot* slots) {
  constexpr size_t REGISTERS = M * N / WARP;  // of N columns
  // Calls each(register's slot, lane, index in the row-major tile).
  const auto for_each_element = [&](auto&& each) {
    for (size_t part = 0; part < COLUMNS / N; ++part) {
      for_each_of_c([&](size_t reg, size_t lane, size_t, size_t row, size_t column) {
        each(part * REGISTERS + reg, lane, row * COLUMNS + part * N + column);
      });
    }
  };
  alignas(64) std::array<uint32_t, M * COLUMNS> c{}, d;
  if ((w.predicates[op.c] & 1u) != 0) {
    std::array<const uint32_t*, COLUMNS / N * REGISTERS> from;
    for (size_t i = 0; i < from.size(); ++i) from[i] = accumulator(w, slots[i]);
    for_each_element([&](size_t reg, size_t lane, size_t at) { c[at] = from[reg][lane]; });
  }
  multiply_bits<Format, K, COLUMNS>(a_bits, b_bits, c, d);
  std::array<uint32_t*, COLUMNS / N * REGISTERS> to;
  for (size_t i = 0; i < to.size(); ++i) to[i] = late_result(w, slots[i], op.instruction);
  for_each_element([&](size_t reg, size_t lane, size_t at) { to[reg][lane] = d[at]; });
}

template <typename Format, size_t K>
void multiply_warpgroup(Warp& w, const Op& op) {
  begin_product(w);
  if (records_layouts(w)) [[unlikely]]
    record_matrices(w, op);
  if (Watch::looks_for_hazards(w)) check_product(w, op);
  SharedMatrices<Format, K> shared(w);
  const auto flag = [&](int32_t bit) { return (op.extra & bit) != 0; };
  const uint32_t sign_of_a = flag(NEGATES_A) ? 1u << SIGN<Format> : 0;
  const uint32_t sign_of_b = flag(NEGATES_B) ? 1u << SIGN<Format> : 0;

  std::array<uint32_t, M * K> a_bits;
  if (op.lists->a.empty()) {
    const MatrixDescriptor of(lanes_of<uint64_t>(w, op.a)[0]);
    const size_t first_row = w.first_thread / WARP % WARPS_OF_A_GROUP * M;
    for (size_t row = 0; row < M; row += shared.LINES) {
      const auto lines = shared.lines(of, first_row + row, flag(A_ACROSS_K));
      std::ranges::copy(lines, a_bits.begin() + static_cast<ptrdiff_t>(row * K));
    }
  } else {
    take_a<Format, K>(w, op, a_bits);
  }
  for (uint32_t& bits : a_bits) bits ^= sign_of_a;

  const MatrixDescriptor of_b(lanes_of<uint64_t>(w, op.b)[0]);
  const auto multiply_from = [&]<size_t COLUMNS>(size_t first) {
    std::array<uint32_t, K * COLUMNS> b_bits;
    for (size_t part = 0; part < COLUMNS; part += N) {
      const auto lines = shared.lines(of_b, first + part, flag(B_ACROSS_K));
      for (size_t k = 0; k < K; ++k) {
        for (size_t n = 0; n < N; ++n)
          b_bits[k * COLUMNS + part + n] = lines[n * K + k] ^ sign_of_b;
      }
    }
    multiply_columns<Format, K, COLUMNS>(w, op, a_bits, b_bits, &op.lists->d[first * M / WARP]);
  };
  // As many columns at once as the host's widest vectors have elements.
  constexpr size_t MANY = 2 * N;
  const size_t columns = op.lists->d.size() * WARP / M;
  size_t first = 0;
  for (; first + MANY <= columns; first += MANY) multiply_from.template operator()<MANY>(first);
  if (first < columns) multiply_from.template operator()<N>(first);

  if (!Watch::looks_for_hazards(w)) return;
  for (const uint64_t piece : shared.pieces()) {
    w.block->hazards->late_read_begins(op.instruction, w.first_thread, piece,
                                       MatrixDescriptor::PIECE);
  }
  w.products.pending.push_back({w.products.groups, op.instruction, std::move(shared.pieces())});
}

}  // namespace

Execute find_warpgroup_product(const MatrixShape& shape) {
  if (shape.m != int{M * WARPS_OF_A_GROUP} || shape.n % int{N} != 0 || shape.n < int{N} ||
      shape.n > 256)
    return nullptr;
  if (shape.factor == "f16" && shape.k == 16) return multiply_warpgroup<F16, 16>;
  if (shape.factor == "bf16" && shape.k == 16) return multiply_warpgroup<BF16, 16>;
  if (shape.factor == "tf32" && shape.k == 8) return multiply_warpgroup<TF32, 8>;
  return nullptr;
}

Execute find_matrix_load(size_t count, bool transposed) {
  if (count == 1) return transposed ? load_matrices<1, true> : load_matrices<1, false>;
  if (count == 2) return transposed ? load_matrices<2, true> : load_matrices<2, false>;
  return transposed ? load_matrices<4, true> : load_matrices<4, false>;
}

Execute find_matrix_store(size_t count, bool transposed) {
  if (count == 1) return transposed ? store_matrices<1, true> : store_matrices<1, false>;
  if (count == 2) return transposed ? store_matrices<2, true> : store_matrices<2, false>;
  return transposed ? store_matrices<4, true> : store_matrices<4, false>;
}

namespace {

template <typename T, bool SATURATES>
Execute find_integer_product(const MatrixShape& shape) {
  if (shape.m == 8 && shape.k == 16) return multiply_integers<T, 8, 16, SATURATES>;
  if (shape.m != int{M}) return nullptr;
  if (shape.k == 16) return multiply_integers<T, M, 16, SATURATES>;
  return shape.k == 32 ? multiply_integers<T, M, 32, SATURATES> : nullptr;
}

template <typename T>
Execute find_integer_product(const MatrixShape& shape) {
  return shape.saturates ? find_integer_product<T, true>(shape)
                         : find_integer_product<T, false>(shape);
}

}  // namespace

Execute find_matrix_product(const MatrixShape& shape) {
  if (shape.n != int{N}) return nullptr;
  if (shape.factor == "s8" && shape.sum == "s32") return find_integer_product<int8_t>(shape);
  if (shape.factor == "u8" && shape.sum == "s32") return find_integer_product<uint8_t>(shape);
  if (shape.saturates) return nullptr;
  if (shape.factor == "f64" && shape.sum == "f64")
    return shape.m == 8 && shape.k == 4 ? multiply_doubles : nullptr;
  if (shape.m != int{M}) return nullptr;
  const bool is_short = shape.k == 8;
  if (shape.factor == "f16" && shape.sum == "f16" && (is_short || shape.k == 16))
    return is_short ? multiply_with_half_sums<8> : multiply_with_half_sums<16>;
  if (shape.sum != "f32") return nullptr;
  if (shape.factor == "f16" && (is_short || shape.k == 16))
    return is_short ? multiply_fragments<F16, 8> : multiply_fragments<F16, 16>;
  if (shape.factor == "bf16" && (is_short || shape.k == 16))
    return is_short ? multiply_fragments<BF16, 8> : multiply_fragments<BF16, 16>;
  if (shape.factor == "tf32" && (is_short || shape.k == 4))
    return is_short ? multiply_fragments<TF32, 8> : multiply_fragments<TF32, 4>;
  return nullptr;
}

END_LEVEL
