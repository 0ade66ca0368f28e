#include "simulator/execute/scalar/rare_instructions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "simulator/execute/state/warp.hpp"

namespace simulator {
namespace {

// --- shapes -----------------------------------------------------------------------------------------

// A register holds 4 or 8 bytes a lane. A narrower value is zero-extended to 4.
template <typename T>
using Register = std::conditional_t<(sizeof(T) < 4), uint32_t, T>;

// D = F(S...), lane by lane.
template <auto F, typename D, typename... S>
void each(Warp& w, const Op& op) {
  const std::array<Slot, 4> slots{op.a, op.b, op.c, op.e};
  const auto compute = [&]<size_t... I>(size_t lane, std::index_sequence<I...>) {
    return F(static_cast<S>(lanes_of<Register<S>>(w, slots[I])[lane])...);
  };
  if constexpr (std::is_same_v<D, bool>) {
    uint32_t holds = 0;
    for_each_active(w, [&](size_t lane) {
      if (compute(lane, std::index_sequence_for<S...>{})) holds |= 1u << lane;
    });
    w.predicates[op.d] = (w.predicates[op.d] & ~w.active) | holds;
  } else {
    auto* const result = result_of<Register<D>>(w, op.d);
    for_each_active(w, [&](size_t lane) {
      const D value = compute(lane, std::index_sequence_for<S...>{});
      if constexpr (sizeof(D) < 4) {
        result[lane] = static_cast<std::make_unsigned_t<D>>(value);
      } else {
        result[lane] = value;
      }
    });
  }
}

// Returns the width of a type in PTX. An operand's place depends on its width alone.
template <typename T>
constexpr std::string_view bits_of() {
  if constexpr (std::is_same_v<T, bool>) return "pred";
  if constexpr (sizeof(T) == 2) return "b16";
  return sizeof(T) == 8 ? "b64" : "b32";
}

using Table = std::unordered_map<std::string, Arithmetic>;

template <auto F, typename D, typename... S>
void add(Table& table, const std::string& name, InstructionKind kind = InstructionKind::integer,
         uint32_t flops = 0) {
  table[name] = {each<F, D, S...>, kind, bits_of<D>(), {bits_of<S>()...}, 0, flops};
}

// --- bit fields -------------------------------------------------------------------------------------

// bfi: puts `length` bits of `from` into `into` at `position`. Both numbers count modulo 256.
template <typename T>
T insert_bits(T from, T into, uint32_t position, uint32_t length) {
  constexpr uint32_t WIDTH = 8 * sizeof(T);
  position &= 0xff;
  length &= 0xff;
  if (position >= WIDTH || length == 0) return into;
  const T field = (length >= WIDTH ? ~T{0} : static_cast<T>((T{1} << length) - 1)) << position;
  return (into & ~field) | (static_cast<T>(from << position) & field);
}

// Returns the highest bit that is not a copy of the sign; all ones if there is none.
template <typename T>
uint32_t find_highest(T value) {
  using U = std::make_unsigned_t<T>;
  const U bits = value < 0 ? static_cast<U>(~static_cast<U>(value)) : static_cast<U>(value);
  return static_cast<uint32_t>(std::bit_width(bits)) - 1;
}

// Returns the left shift that makes this bit the highest.
template <typename T>
uint32_t shift_amount(T value) {
  const uint32_t highest = find_highest(value);
  return highest == ~0u ? highest : 8 * sizeof(T) - 1 - highest;
}

// szext: the low `width` bits, extended by their sign or by zeros. A width beyond 32 wraps or clamps.
template <typename T, bool CLAMP>
T extend(T value, uint32_t width) {
  width = CLAMP ? std::min(width, 32u) : width & 31u;
  if (width == 0) return 0;
  const uint32_t shift = 32 - width;
  return static_cast<T>(static_cast<uint32_t>(value) << shift) >> shift;
}

template <bool CLAMP>
uint32_t bit_mask(uint32_t first, uint32_t width) {
  first = CLAMP ? std::min(first, 32u) : first & 31u;
  width = CLAMP ? std::min(width, 32u) : width & 31u;
  return static_cast<uint32_t>(((uint64_t{1} << width) - 1) << first);
}

// fns: the position of the n-th set bit, counted from `base` upwards, or downwards for a negative n.
uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t n) {
  if (n == 0) return base < 32 && (mask >> base & 1u) != 0 ? base : ~0u;
  int32_t left = std::abs(n);
  for (int64_t at = base; at >= 0 && at < 32; at += n > 0 ? 1 : -1) {
    if ((mask >> at & 1u) != 0 && --left == 0) return static_cast<uint32_t>(at);
  }
  return ~0u;
}

template <typename T>
void add_bit_fields(Table& table, const std::string& bits, const std::string& type) {
  using U = std::make_unsigned_t<T>;
  add<insert_bits<U>, U, U, U, uint32_t, uint32_t>(table, "bfi." + bits);
  add<find_highest<T>, uint32_t, T>(table, "bfind." + type);
  add<shift_amount<T>, uint32_t, T>(table, "bfind.shiftamt." + type);
}

// --- carries ----------------------------------------------------------------------------------------

// add.cc, addc, addc.cc and the same with sub. The carry, or borrow, goes from one to the next through the warp,
// one bit per lane.
template <typename T, bool SUBTRACT, bool IN, bool OUT>
void with_carry(Warp& w, const Op& op) {
  const T* const a = lanes_of<T>(w, op.a);
  const T* const b = lanes_of<T>(w, op.b);
  T* const d = result_of<T>(w, op.d);
  for_each_active(w, [&](size_t lane) {
    const uint32_t bit = 1u << lane;
    const T in = IN && (w.carry & bit) != 0 ? 1 : 0;
    T first = 0;
    T second = 0;
    const bool over = SUBTRACT ? __builtin_sub_overflow(a[lane], b[lane], &first)
                               : __builtin_add_overflow(a[lane], b[lane], &first);
    const bool again = SUBTRACT ? __builtin_sub_overflow(first, in, &second)
                                : __builtin_add_overflow(first, in, &second);
    d[lane] = second;
    if (OUT) w.carry = over || again ? w.carry | bit : w.carry & ~bit;
  });
}

// mad.lo.cc, madc.hi and similar: half of a product, plus c, plus the carry. S: the operands' type.
template <typename S, bool HIGH, bool IN, bool OUT>
void multiply_with_carry(Warp& w, const Op& op) {
  using T = std::make_unsigned_t<S>;
  using Wide = std::conditional_t<sizeof(T) == 8, __int128, int64_t>;
  const S* const a = lanes_of<S>(w, op.a);
  const S* const b = lanes_of<S>(w, op.b);
  const T* const c = lanes_of<T>(w, op.c);
  T* const d = result_of<T>(w, op.d);
  for_each_active(w, [&](size_t lane) {
    const uint32_t bit = 1u << lane;
    T product = static_cast<T>(a[lane]) * static_cast<T>(b[lane]);
    if constexpr (HIGH) {
      // Unsigned products of full width need the unsigned wide type.
      using Product =
          std::conditional_t<std::is_signed_v<S>, Wide,
                             std::conditional_t<sizeof(T) == 8, unsigned __int128, uint64_t>>;
      product = static_cast<T>(static_cast<Product>(a[lane]) * static_cast<Product>(b[lane]) >>
                               (8 * sizeof(T)));
    }
    const T in = IN && (w.carry & bit) != 0 ? 1 : 0;
    T first = 0;
    T second = 0;
    const bool over = __builtin_add_overflow(product, c[lane], &first);
    const bool again = __builtin_add_overflow(first, in, &second);
    d[lane] = second;
    if (OUT) w.carry = over || again ? w.carry | bit : w.carry & ~bit;
  });
}

template <typename S>
void add_carries(Table& table, const std::string& type) {
  using T = std::make_unsigned_t<S>;
  const auto two = [&](const std::string& name, Execute execute) {
    const std::string_view bits = bits_of<T>();
    table[name + type] = {execute, InstructionKind::integer, bits, {bits, bits}};
  };
  const auto three = [&](const std::string& name, Execute execute) {
    const std::string_view bits = bits_of<T>();
    table[name + type] = {execute, InstructionKind::integer, bits, {bits, bits, bits}};
  };
  two("add.cc.", with_carry<T, false, false, true>);
  two("addc.", with_carry<T, false, true, false>);
  two("addc.cc.", with_carry<T, false, true, true>);
  two("sub.cc.", with_carry<T, true, false, true>);
  two("subc.", with_carry<T, true, true, false>);
  two("subc.cc.", with_carry<T, true, true, true>);
  three("mad.lo.cc.", multiply_with_carry<S, false, false, true>);
  three("madc.lo.", multiply_with_carry<S, false, true, false>);
  three("madc.lo.cc.", multiply_with_carry<S, false, true, true>);
  three("mad.hi.cc.", multiply_with_carry<S, true, false, true>);
  three("madc.hi.", multiply_with_carry<S, true, true, false>);
  three("madc.hi.cc.", multiply_with_carry<S, true, true, true>);
}

// --- sums and products ------------------------------------------------------------------------------

template <typename T>
T distance_plus(T a, T b, T c) {
  using U = std::make_unsigned_t<T>;
  const U distance =
      a < b ? static_cast<U>(b) - static_cast<U>(a) : static_cast<U>(a) - static_cast<U>(b);
  return static_cast<T>(static_cast<U>(distance + static_cast<U>(c)));
}

// Returns bits 0 to 31 of the product of the low 24 bits of each, or bits 16 to 47.
template <typename T, bool HIGH>
T multiply24(T a, T b) {
  using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
  const auto low = [](T value) {
    return static_cast<Wide>(static_cast<T>(static_cast<uint32_t>(value) << 8) >> 8);
  };
  return static_cast<T>(low(a) * low(b) >> (HIGH ? 16 : 0));
}

template <typename T, bool HIGH>
T multiply_add24(T a, T b, T c) {
  return static_cast<T>(static_cast<uint32_t>(multiply24<T, HIGH>(a, b)) +
                        static_cast<uint32_t>(c));
}

int32_t saturate(int64_t value) {
  return static_cast<int32_t>(std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(),
                                                  std::numeric_limits<int32_t>::max()));
}

// dp4a: the sum of the products of four bytes, plus c.
template <typename A, typename B, typename R>
R dot_of_bytes(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t sum = c;
  for (int byte = 0; byte < 4; ++byte) {
    sum += static_cast<uint32_t>(static_cast<A>(a >> (8 * byte)) * static_cast<B>(b >> (8 * byte)));
  }
  return static_cast<R>(sum);
}

// dp2a: the products of a's two halves with two bytes of b, the lower or the upper ones, plus c.
template <typename A, typename B, typename R, bool UPPER>
R dot_of_halves(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t sum = c;
  for (int i = 0; i < 2; ++i) {
    const auto byte = static_cast<int64_t>(static_cast<B>(b >> (8 * i + (UPPER ? 16 : 0))));
    sum += static_cast<uint32_t>(static_cast<int64_t>(static_cast<A>(a >> (16 * i))) * byte);
  }
  return static_cast<R>(sum);
}

template <bool A_SIGNED, bool B_SIGNED>
void add_dot_products(Table& table) {
  using Byte = std::conditional_t<A_SIGNED, int8_t, uint8_t>;
  using Half = std::conditional_t<A_SIGNED, int16_t, uint16_t>;
  using B = std::conditional_t<B_SIGNED, int8_t, uint8_t>;
  using U = uint32_t;
  const std::string types = std::string(A_SIGNED ? ".s32" : ".u32") + (B_SIGNED ? ".s32" : ".u32");
  add<dot_of_bytes<Byte, B, U>, U, U, U, U>(table, "dp4a" + types);
  add<dot_of_halves<Half, B, U, false>, U, U, U, U>(table, "dp2a.lo" + types);
  add<dot_of_halves<Half, B, U, true>, U, U, U, U>(table, "dp2a.hi" + types);
}

// Joins F of the lower and of the upper halves.
template <typename Half, auto F>
uint32_t of_halves(uint32_t a, uint32_t b) {
  const auto one = [&](int shift) {
    const auto result = F(static_cast<Half>(a >> shift), static_cast<Half>(b >> shift));
    return static_cast<uint32_t>(static_cast<uint16_t>(result));
  };
  return one(0) | one(16) << 16;
}

// add, min and max of two 16-bit integers in a word.
template <typename Half>
void add_pairs(Table& table, const std::string& type) {
  using U = uint32_t;
  add<of_halves<Half, [](Half a, Half b) { return a + b; }>, U, U, U>(table, "add." + type);
  add<of_halves<Half, [](Half a, Half b) { return std::min(a, b); }>, U, U, U>(table,
                                                                               "min." + type);
  add<of_halves<Half, [](Half a, Half b) { return std::max(a, b); }>, U, U, U>(table,
                                                                               "max." + type);
}

template <typename T>
void add_products24(Table& table, const std::string& type) {
  add<multiply24<T, false>, T, T, T>(table, "mul24.lo." + type);
  add<multiply24<T, true>, T, T, T>(table, "mul24.hi." + type);
  add<multiply_add24<T, false>, T, T, T, T>(table, "mad24.lo." + type);
  add<multiply_add24<T, true>, T, T, T, T>(table, "mad24.hi." + type);
}

// --- permutations of bytes --------------------------------------------------------------------------

enum class Permutation { forward, backward, replicate8, clamp_left, clamp_right, replicate16 };

// prmt in its other modes: the selector's two low bits decide all.
template <Permutation MODE>
uint32_t permute(uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t bytes = uint64_t{b} << 32 | a;
  const uint32_t by = selector & 3u;
  uint32_t value = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    uint32_t from = 0;
    switch (MODE) {
      case Permutation::forward:
        from = by + i;
        break;
      case Permutation::backward:
        from = (by - i) & 7u;
        break;
      case Permutation::replicate8:
        from = by;
        break;
      case Permutation::clamp_left:
        from = std::max(by, i);
        break;
      case Permutation::clamp_right:
        from = std::min(by, i);
        break;
      case Permutation::replicate16:
        from = 2 * (by & 1u) + (i & 1u);
        break;
    }
    value |= static_cast<uint32_t>(bytes >> (8 * from) & 0xffu) << (8 * i);
  }
  return value;
}

// --- floating point ---------------------------------------------------------------------------------

// ftz: a subnormal operand or result becomes a zero of its sign.
template <bool FLUSH>
float flushed(float x) {
  return FLUSH && std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

// sat: clamps to [0, 1], and a NaN to 0.
template <bool SATURATE>
float saturated(float x) {
  if (!SATURATE) return x;
  return !(x > 0) ? 0.0f : std::min(x, 1.0f);
}

template <auto F, bool FLUSH, bool SATURATE>
float modified1(float a) {
  return saturated<SATURATE>(flushed<FLUSH>(F(flushed<FLUSH>(a))));
}
template <auto F, bool FLUSH, bool SATURATE>
float modified2(float a, float b) {
  return saturated<SATURATE>(flushed<FLUSH>(F(flushed<FLUSH>(a), flushed<FLUSH>(b))));
}
template <auto F, bool FLUSH, bool SATURATE>
float modified3(float a, float b, float c) {
  return saturated<SATURATE>(
      flushed<FLUSH>(F(flushed<FLUSH>(a), flushed<FLUSH>(b), flushed<FLUSH>(c))));
}

template <bool FLUSH, bool SATURATE>
void add_modified(Table& table, const std::string& modifiers) {
  constexpr auto FP32 = InstructionKind::fp32;
  using F = float;
  const std::string suffix = modifiers + ".f32";
  add<modified2<[](F a, F b) { return a + b; }, FLUSH, SATURATE>, F, F, F>(table, "add" + suffix,
                                                                           FP32, 1);
  add<modified2<[](F a, F b) { return a - b; }, FLUSH, SATURATE>, F, F, F>(table, "sub" + suffix,
                                                                           FP32, 1);
  add<modified2<[](F a, F b) { return a * b; }, FLUSH, SATURATE>, F, F, F>(table, "mul" + suffix,
                                                                           FP32, 1);
  add<modified3<[](F a, F b, F c) { return std::fma(a, b, c); }, FLUSH, SATURATE>, F, F, F, F>(
      table, "fma" + suffix, InstructionKind::ffma, 2);
  if constexpr (!SATURATE) {
    add<modified2<[](F a, F b) { return a / b; }, FLUSH, false>, F, F, F>(table, "div" + suffix,
                                                                          FP32, 1);
    add<modified1<[](F a) { return std::sqrt(a); }, FLUSH, false>, F, F>(table, "sqrt" + suffix,
                                                                         FP32, 1);
    add<modified1<[](F a) { return 1 / a; }, FLUSH, false>, F, F>(table, "rcp" + suffix, FP32, 1);
    add<modified1<[](F a) { return -a; }, FLUSH, false>, F, F>(table, "neg" + suffix, FP32);
    add<modified1<[](F a) { return std::fabs(a); }, FLUSH, false>, F, F>(table, "abs" + suffix,
                                                                         FP32);
    add<modified2<[](F a, F b) { return std::fmin(a, b); }, FLUSH, false>, F, F, F>(
        table, "min" + suffix, FP32);
    add<modified2<[](F a, F b) { return std::fmax(a, b); }, FLUSH, false>, F, F, F>(
        table, "max" + suffix, FP32);
  }
}

// The video instructions on the 2 or 4 parts of a word, without masks: a part of A and a part of B, each with the sign of its type.
enum class Video { add, subtract, average, distance, minimum, maximum };
// `into` is what becomes of the results: the parts of a word, cut off or clamped, or a sum with C.
enum class Into { parts, clamped_parts, sum };

template <Video OPERATION>
int32_t video(int32_t a, int32_t b) {
  switch (OPERATION) {
    case Video::add:
      return a + b;
    case Video::subtract:
      return a - b;
    case Video::average:  // rounded up, but for negative sums
      return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    case Video::distance:
      return a > b ? a - b : b - a;
    case Video::minimum:
      return std::min(a, b);
    case Video::maximum:
      return std::max(a, b);
  }
}

template <Video OPERATION, Into INTO, typename D, typename A, typename B>
uint32_t on_parts(uint32_t a, uint32_t b, uint32_t c) {
  constexpr int BITS = 8 * sizeof(D);
  uint32_t parts = 0, sum = c;
  for (int shift = 0; shift < 32; shift += BITS) {
    int32_t result = video<OPERATION>(static_cast<A>(a >> shift), static_cast<B>(b >> shift));
    sum += static_cast<uint32_t>(result);
    if (INTO == Into::clamped_parts) {
      result =
          std::clamp<int32_t>(result, std::numeric_limits<D>::min(), std::numeric_limits<D>::max());
    }
    parts |= static_cast<uint32_t>(static_cast<std::make_unsigned_t<D>>(result)) << shift;
  }
  return INTO == Into::sum ? sum : parts;
}

template <Video OPERATION, typename D, typename A, typename B>
void add_video(Table& table, const std::string& name) {
  using W = uint32_t;
  add<on_parts<OPERATION, Into::parts, D, A, B>, W, W, W, W>(table, name);
  add<on_parts<OPERATION, Into::clamped_parts, D, A, B>, W, W, W, W>(table, name + ".sat");
  add<on_parts<OPERATION, Into::sum, D, A, B>, W, W, W, W>(table, name + ".add");
}

template <Video OPERATION, typename Signed>
void add_video(Table& table, const std::string& name) {
  using Unsigned = std::make_unsigned_t<Signed>;
  add_video<OPERATION, Unsigned, Unsigned, Unsigned>(table, name + ".u32.u32.u32");
  add_video<OPERATION, Unsigned, Unsigned, Signed>(table, name + ".u32.u32.s32");
  add_video<OPERATION, Unsigned, Signed, Unsigned>(table, name + ".u32.s32.u32");
  add_video<OPERATION, Unsigned, Signed, Signed>(table, name + ".u32.s32.s32");
  add_video<OPERATION, Signed, Unsigned, Unsigned>(table, name + ".s32.u32.u32");
  add_video<OPERATION, Signed, Unsigned, Signed>(table, name + ".s32.u32.s32");
  add_video<OPERATION, Signed, Signed, Unsigned>(table, name + ".s32.s32.u32");
  add_video<OPERATION, Signed, Signed, Signed>(table, name + ".s32.s32.s32");
}

template <Video OPERATION>
void add_video(Table& table, const std::string& name) {
  add_video<OPERATION, int8_t>(table, name + "4");
  add_video<OPERATION, int16_t>(table, name + "2");
}

// min.NaN and max.NaN: a number and a NaN give the NaN that a device computes.
template <bool MAXIMUM, bool FLUSH>
float nan_or_extreme(float a, float b) {
  a = flushed<FLUSH>(a);
  b = flushed<FLUSH>(b);
  if (std::isnan(a) || std::isnan(b)) return std::bit_cast<float>(0x7fffffffu);
  if (a == b) return std::signbit(a) == MAXIMUM ? b : a;
  return (a < b) == MAXIMUM ? b : a;
}

template <typename T>
void add_tests(Table& table, const std::string& type) {
  constexpr auto COMPARE = InstructionKind::compare;
  const std::string suffix = "." + type;
  add<[](T x) { return std::isfinite(x); }, bool, T>(table, "testp.finite" + suffix, COMPARE);
  add<[](T x) { return std::isinf(x); }, bool, T>(table, "testp.infinite" + suffix, COMPARE);
  add<[](T x) { return !std::isnan(x); }, bool, T>(table, "testp.number" + suffix, COMPARE);
  add<[](T x) { return std::isnan(x); }, bool, T>(table, "testp.notanumber" + suffix, COMPARE);
  // In PTX a zero is a normal number.
  add<[](T x) { return std::isnormal(x) || x == 0; }, bool, T>(table, "testp.normal" + suffix,
                                                               COMPARE);
  add<[](T x) { return std::fpclassify(x) == FP_SUBNORMAL; }, bool, T>(
      table, "testp.subnormal" + suffix, COMPARE);
}

// slct: a if the third operand is not negative; b if it is negative or a NaN.
template <typename T>
void add_selects(Table& table, std::initializer_list<const char*> types) {
  for (const std::string type : types) {
    add<[](T a, T b, int32_t c) { return c >= 0 ? a : b; }, T, T, T, int32_t>(
        table, "slct." + type + ".s32", InstructionKind::compare);
    add<[](T a, T b, float c) { return c >= 0 ? a : b; }, T, T, T, float>(
        table, "slct." + type + ".f32", InstructionKind::compare);
  }
}

// --- the table --------------------------------------------------------------------------------------

Table make_table() {
  Table table;
  add_bit_fields<uint32_t>(table, "b32", "u32");
  add_bit_fields<int32_t>(table, "b32", "s32");
  add_bit_fields<uint64_t>(table, "b64", "u64");
  add_bit_fields<int64_t>(table, "b64", "s64");
  add<extend<int32_t, false>, int32_t, int32_t, uint32_t>(table, "szext.wrap.s32");
  add<extend<int32_t, true>, int32_t, int32_t, uint32_t>(table, "szext.clamp.s32");
  add<extend<uint32_t, false>, uint32_t, uint32_t, uint32_t>(table, "szext.wrap.u32");
  add<extend<uint32_t, true>, uint32_t, uint32_t, uint32_t>(table, "szext.clamp.u32");
  add<bit_mask<false>, uint32_t, uint32_t, uint32_t>(table, "bmsk.wrap.b32");
  add<bit_mask<true>, uint32_t, uint32_t, uint32_t>(table, "bmsk.clamp.b32");
  add<find_nth_set, uint32_t, uint32_t, uint32_t, int32_t>(table, "fns.b32");

  add_carries<uint32_t>(table, "u32");
  add_carries<int32_t>(table, "s32");
  add_carries<uint64_t>(table, "u64");
  add_carries<int64_t>(table, "s64");

  add<distance_plus<int16_t>, int16_t, int16_t, int16_t, int16_t>(table, "sad.s16");
  add<distance_plus<uint16_t>, uint16_t, uint16_t, uint16_t, uint16_t>(table, "sad.u16");
  add<distance_plus<int32_t>, int32_t, int32_t, int32_t, int32_t>(table, "sad.s32");
  add<distance_plus<uint32_t>, uint32_t, uint32_t, uint32_t, uint32_t>(table, "sad.u32");
  add<distance_plus<int64_t>, int64_t, int64_t, int64_t, int64_t>(table, "sad.s64");
  add<distance_plus<uint64_t>, uint64_t, uint64_t, uint64_t, uint64_t>(table, "sad.u64");
  add_pairs<int16_t>(table, "s16x2");
  add_pairs<uint16_t>(table, "u16x2");
  add_products24<int32_t>(table, "s32");
  add_products24<uint32_t>(table, "u32");
  add_dot_products<false, false>(table);
  add_dot_products<false, true>(table);
  add_dot_products<true, false>(table);
  add_dot_products<true, true>(table);
  add<[](int32_t a, int32_t b) { return saturate(int64_t{a} + b); }, int32_t, int32_t, int32_t>(
      table, "add.sat.s32");
  add<[](int32_t a, int32_t b) { return saturate(int64_t{a} - b); }, int32_t, int32_t, int32_t>(
      table, "sub.sat.s32");
  add<[](int32_t a, int32_t b, int32_t c) { return saturate((int64_t{a} * b >> 32) + c); }, int32_t,
      int32_t, int32_t, int32_t>(table, "mad.hi.sat.s32");

  add<permute<Permutation::forward>, uint32_t, uint32_t, uint32_t, uint32_t>(table, "prmt.b32.f4e");
  add<permute<Permutation::backward>, uint32_t, uint32_t, uint32_t, uint32_t>(table,
                                                                              "prmt.b32.b4e");
  add<permute<Permutation::replicate8>, uint32_t, uint32_t, uint32_t, uint32_t>(table,
                                                                                "prmt.b32.rc8");
  add<permute<Permutation::clamp_left>, uint32_t, uint32_t, uint32_t, uint32_t>(table,
                                                                                "prmt.b32.ecl");
  add<permute<Permutation::clamp_right>, uint32_t, uint32_t, uint32_t, uint32_t>(table,
                                                                                 "prmt.b32.ecr");
  add<permute<Permutation::replicate16>, uint32_t, uint32_t, uint32_t, uint32_t>(table,
                                                                                 "prmt.b32.rc16");

  add_modified<true, false>(table, ".ftz");
  add_modified<false, true>(table, ".sat");
  add_modified<true, true>(table, ".ftz.sat");
  constexpr auto FP32 = InstructionKind::fp32;
  add<nan_or_extreme<false, false>, float, float, float>(table, "min.NaN.f32", FP32);
  add<nan_or_extreme<true, false>, float, float, float>(table, "max.NaN.f32", FP32);
  add<nan_or_extreme<false, true>, float, float, float>(table, "min.ftz.NaN.f32", FP32);
  add<nan_or_extreme<true, true>, float, float, float>(table, "max.ftz.NaN.f32", FP32);
  add_tests<float>(table, "f32");
  add_tests<double>(table, "f64");
  add_selects<uint32_t>(table, {"b32", "u32", "s32", "f32"});
  add_selects<uint64_t>(table, {"b64", "u64", "s64", "f64"});
  add_video<Video::add>(table, "vadd");
  add_video<Video::subtract>(table, "vsub");
  add_video<Video::average>(table, "vavrg");
  add_video<Video::distance>(table, "vabsdiff");
  add_video<Video::minimum>(table, "vmin");
  add_video<Video::maximum>(table, "vmax");
  return table;
}

}  // namespace

Arithmetic find_rare(const std::vector<std::string>& opcode) {
  static const Table table = make_table();
  std::string name;
  for (const std::string& word : opcode) {
    // All of these round to nearest even, if they round.
    if (word == "rn") continue;
    name += (name.empty() ? "" : ".") + word;
  }
  const auto found = table.find(name);
  return found == table.end() ? Arithmetic{} : found->second;
}

}  // namespace simulator
