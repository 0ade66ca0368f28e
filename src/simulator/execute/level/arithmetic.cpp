#include "simulator/execute/level/arithmetic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "simulator/execute/level/types.hpp"
#include "simulator/execute/scalar/directed_rounding.hpp"
#include "simulator/execute/scalar/half_precision.hpp"
#include "simulator/execute/scalar/mathematics.hpp"
#include "simulator/execute/scalar/rare_instructions.hpp"

BEGIN_LEVEL
namespace {

// A register holds 4 or 8 bytes a lane. A 16-bit value lies zero-extended in a 4-byte register.

template <typename T>
Lanes<T> get(const Warp& w, Slot slot) {
  if constexpr (sizeof(T) >= 4) {
    return read<T>(w, slot);
  } else {
    return __builtin_convertvector(read<uint32_t>(w, slot), Lanes<T>);
  }
}

template <typename T>
void put(Warp& w, Slot slot, Lanes<T> value) {
  if constexpr (sizeof(T) >= 4) {
    write<T>(w, slot, value);
  } else {
    using Unsigned = std::make_unsigned_t<T>;
    write<uint32_t>(w, slot,
                    __builtin_convertvector(bits_as<Lanes<Unsigned>>(value), Lanes<uint32_t>));
  }
}

// --- shapes of instructions: each is filled with a function of lanes or of one lane -------------

template <typename T, auto F>
void unary(Warp& w, const Op& op) {
  put<T>(w, op.d, F(get<T>(w, op.a)));
}

template <typename T, auto F>
void binary(Warp& w, const Op& op) {
  put<T>(w, op.d, F(get<T>(w, op.a), get<T>(w, op.b)));
}

template <typename T, auto F>
void ternary(Warp& w, const Op& op) {
  put<T>(w, op.d, F(get<T>(w, op.a), get<T>(w, op.b), get<T>(w, op.c)));
}

// Computes one lane at a time, if the host has no vector form. D and S may differ.
template <typename D, typename S, auto F>
void each_unary(Warp& w, const Op& op) {
  const Lanes<S> a = get<S>(w, op.a);
  Lanes<D> result;
  for (int i = 0; i < WARP; ++i) result[i] = F(static_cast<S>(a[i]));
  put<D>(w, op.d, result);
}

template <typename T, auto F>
void each_binary(Warp& w, const Op& op) {
  const Lanes<T> a = get<T>(w, op.a);
  const Lanes<T> b = get<T>(w, op.b);
  Lanes<T> result;
  for (int i = 0; i < WARP; ++i) result[i] = F(static_cast<T>(a[i]), static_cast<T>(b[i]));
  put<T>(w, op.d, result);
}

// Returns the lanes of a 32-bit comparison as a mask for values of type T.
template <typename T>
auto mask_for(Lanes<int32_t> mask) {
  using Signed = std::conditional_t<sizeof(T) == 8, int64_t,
                                    std::conditional_t<sizeof(T) == 4, int32_t, int16_t>>;
  return __builtin_convertvector(mask, Lanes<Signed>);
}

// shl: the count is 32 bits wide for all widths. A count beyond the value's width gives 0.
template <typename T>
void shift_left(Warp& w, const Op& op) {
  constexpr uint32_t WIDTH = 8 * sizeof(T);
  const Lanes<uint32_t> count = read<uint32_t>(w, op.b);
  const Lanes<T> shifted = get<T>(w, op.a) << __builtin_convertvector(count % WIDTH, Lanes<T>);
  const Lanes<T> none = 0;
  put<T>(w, op.d, mask_for<T>(count < WIDTH) ? shifted : none);
}

// shr: the sign fills a signed value.
template <typename T>
void shift_right(Warp& w, const Op& op) {
  constexpr uint32_t WIDTH = 8 * sizeof(T);
  const Lanes<uint32_t> count = read<uint32_t>(w, op.b);
  const Lanes<T> a = get<T>(w, op.a);
  const Lanes<uint32_t> most = WIDTH - 1;
  const Lanes<uint32_t> within = __builtin_elementwise_min(count, most);
  const Lanes<T> shifted = a >> __builtin_convertvector(within, Lanes<T>);
  if constexpr (std::is_signed_v<T>) {
    put<T>(w, op.d, shifted);
  } else {
    const Lanes<T> none = 0;
    put<T>(w, op.d, mask_for<T>(count < WIDTH) ? shifted : none);
  }
}

// mul.wide and mad.wide: operands of type S, a result of twice the width.
template <typename D, typename S, bool ADD>
void wide(Warp& w, const Op& op) {
  const Lanes<D> product = __builtin_convertvector(get<S>(w, op.a), Lanes<D>) *
                           __builtin_convertvector(get<S>(w, op.b), Lanes<D>);
  if constexpr (ADD) {
    put<D>(w, op.d, product + get<D>(w, op.c));
  } else {
    put<D>(w, op.d, product);
  }
}

template <typename T, bool ADD>
void high(Warp& w, const Op& op) {
  using Wide =
      std::conditional_t<sizeof(T) == 8,
                         std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
                         std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
  const Lanes<T> a = get<T>(w, op.a);
  const Lanes<T> b = get<T>(w, op.b);
  Lanes<T> result;
  for (int i = 0; i < WARP; ++i) {
    result[i] =
        static_cast<T>((static_cast<Wide>(a[i]) * static_cast<Wide>(b[i])) >> (8 * sizeof(T)));
  }
  if constexpr (ADD) result += get<T>(w, op.c);
  put<T>(w, op.d, result);
}

// --- comparisons --------------------------------------------------------------------------------

template <typename T, auto F>
void compare(Warp& w, const Op& op) {
  write_predicate(w, op.d, to_bits(F(get<T>(w, op.a), get<T>(w, op.b))));
}

// set: all ones, or 1.0f, if the comparison holds; else zeros.
template <typename T, typename D, auto F>
void compare_into(Warp& w, const Op& op) {
  const Lanes<int32_t> holds = expand_mask(to_bits(F(get<T>(w, op.a), get<T>(w, op.b))));
  const Lanes<uint32_t> yes = std::is_same_v<D, float> ? 0x3f800000u : ~0u;
  write<uint32_t>(w, op.d, yes & bits_as<Lanes<uint32_t>>(holds));
}

// setp with .and / .or / .xor of a third predicate.
template <typename T, auto F, auto COMBINE>
void compare_and(Warp& w, const Op& op) {
  const uint32_t holds = to_bits(F(get<T>(w, op.a), get<T>(w, op.b)));
  write_predicate(w, op.d, COMBINE(holds, w.predicates[op.c]));
}

template <typename T>
void select(Warp& w, const Op& op) {
  const Lanes<int32_t> mask = expand_mask(w.predicates[op.c]);
  if constexpr (sizeof(T) == 8) {
    write<T>(w, op.d,
             __builtin_convertvector(mask, Lanes<int64_t>) ? read<T>(w, op.a) : read<T>(w, op.b));
  } else {
    write<T>(w, op.d, mask ? read<T>(w, op.a) : read<T>(w, op.b));
  }
}

template <auto F>
void predicate_binary(Warp& w, const Op& op) {
  write_predicate(w, op.d, F(w.predicates[op.a], w.predicates[op.b]));
}

template <auto F>
void predicate_unary(Warp& w, const Op& op) {
  write_predicate(w, op.d, F(w.predicates[op.a]));
}

// --- conversions --------------------------------------------------------------------------------

enum class Rounding { none, nearest, zero, down, up };

template <typename S>
S round_to_integral(S value, Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest:
      return std::nearbyint(value);
    case Rounding::zero:
      return std::trunc(value);
    case Rounding::down:
      return std::floor(value);
    case Rounding::up:
      return std::ceil(value);
    case Rounding::none:
      break;
  }
  return value;
}

template <typename T>
constexpr bool IS_FLOAT = std::is_same_v<T, float> || std::is_same_v<T, double>;

// Other bits of a cvt's Op::extra: the rounding, and saturation.
constexpr int32_t ROUNDING_BITS = 7, SATURATE = 8;

template <typename D, typename S>
D convert_one(S value, int32_t mode) {
  const auto rounding = static_cast<Rounding>(mode & ROUNDING_BITS);
  if constexpr (IS_FLOAT<S> && IS_FLOAT<D>) {
    D result{};
    if constexpr (std::is_same_v<D, S>) {
      result = static_cast<D>(round_to_integral(static_cast<double>(value), rounding));
    } else {
      result = static_cast<D>(value);
    }
    if ((mode & SATURATE) != 0) {  // to [0, 1]; NaN becomes 0
      result = !(result > D{0}) ? D{0} : result > D{1} ? D{1} : result;
    }
    return result;
  } else if constexpr (IS_FLOAT<S>) {
    // A float beyond the integer's range gives the nearest limit. NaN gives 0.
    const double rounded = round_to_integral(static_cast<double>(value), rounding);
    if (!(rounded == rounded)) return D{0};
    if (rounded <= static_cast<double>(std::numeric_limits<D>::min()))
      return std::numeric_limits<D>::min();
    if (rounded >= static_cast<double>(std::numeric_limits<D>::max()))
      return std::numeric_limits<D>::max();
    return static_cast<D>(rounded);
  } else {
    if constexpr (std::is_integral_v<D>) {
      if ((mode & SATURATE) != 0) {
        if (std::cmp_less(value, std::numeric_limits<D>::min()))
          return std::numeric_limits<D>::min();
        if (std::cmp_greater(value, std::numeric_limits<D>::max()))
          return std::numeric_limits<D>::max();
      }
    }
    return static_cast<D>(value);
  }
}

template <typename T>
T from_register_bits(uint64_t bits) {
  if constexpr (std::is_same_v<T, float>) {
    return bits_as<float>(static_cast<uint32_t>(bits));
  } else if constexpr (std::is_same_v<T, double>) {
    return bits_as<double>(bits);
  } else {
    return static_cast<T>(bits);
  }
}

// Returns a result's register bits. In a register wider than its type, it is sign- or zero-extended by the type.
template <typename T>
uint64_t to_register_bits(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return bits_as<uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return bits_as<uint64_t>(value);
  } else {
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  }
}

template <typename D, typename S>
void convert(Warp& w, const Op& op) {
  if constexpr (std::is_integral_v<D> && std::is_integral_v<S> && sizeof(D) >= 4 &&
                sizeof(S) >= 4) {
    if ((op.extra & SATURATE) == 0 && (sizeof(S) == 8) == ((op.extra & CONVERT_FROM_64) != 0) &&
        (sizeof(D) == 8) == ((op.extra & CONVERT_TO_64) != 0)) {
      write<D>(w, op.d, __builtin_convertvector(read<S>(w, op.a), Lanes<D>));  // mostly addresses
      return;
    }
  }
  Lanes<uint64_t> result;
  for (int i = 0; i < WARP; ++i) {
    const uint64_t bits =
        (op.extra & CONVERT_FROM_64) != 0 ? read<uint64_t>(w, op.a)[i] : read<uint32_t>(w, op.a)[i];
    result[i] = to_register_bits(convert_one<D, S>(from_register_bits<S>(bits), op.extra));
  }
  if ((op.extra & CONVERT_TO_64) != 0) {
    write<uint64_t>(w, op.d, result);
  } else if constexpr (sizeof(D) == 2) {
    write<uint32_t>(w, op.d, __builtin_convertvector(result, Lanes<uint32_t>) & 0xffffu);
  } else {
    write<uint32_t>(w, op.d, __builtin_convertvector(result, Lanes<uint32_t>));
  }
}

Execute find_convert(std::string_view to, std::string_view from) {
  return with_type(to, [&](auto d) {
    return with_type(from, [&](auto s) -> Execute {
      return convert<typename decltype(d)::type, typename decltype(s)::type>;
    });
  });
}

// --- functions of one lane ------------------------------------------------------------------------

template <typename T>
T divide(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return static_cast<T>(-1);  // unspecified in PTX; a device returns all ones
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
    }
  }
  return static_cast<T>(a / b);
}

template <typename T>
T remainder_of(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

// 32-bit division through double. A double has more than twice the bits, so the quotient's floor is exact.
template <typename T>
Lanes<T> quotient(Lanes<T> a, Lanes<T> b) {
  const Lanes<T> zero = 0, one = 1, all_ones = static_cast<T>(-1);
  Lanes<T> divisor = b == zero ? one : b;
  if constexpr (std::is_signed_v<T>) {  // the least number divided by -1 wraps to itself
    const Lanes<T> least = std::numeric_limits<T>::min();
    divisor = ((a == least) & (b == all_ones)) ? one : divisor;
  }
  const Lanes<double> exact =
      __builtin_convertvector(a, Lanes<double>) / __builtin_convertvector(divisor, Lanes<double>);
  // Division by zero is unspecified by PTX; a device gives all ones.
  return b == zero ? all_ones : __builtin_convertvector(exact, Lanes<T>);
}

template <typename T>
void divide_words(Warp& w, const Op& op) {
  write<T>(w, op.d, quotient<T>(read<T>(w, op.a), read<T>(w, op.b)));
}

template <typename T>
void remainder_of_words(Warp& w, const Op& op) {
  using U = std::make_unsigned_t<T>;
  const Lanes<T> a = read<T>(w, op.a), b = read<T>(w, op.b);
  const Lanes<T> zero = 0;
  const Lanes<U> rest =
      bits_as<Lanes<U>>(a) - bits_as<Lanes<U>>(quotient<T>(a, b)) * bits_as<Lanes<U>>(b);
  write<T>(w, op.d, b == zero ? a : bits_as<Lanes<T>>(rest));
}

// PTX's min and max return the other operand when one is NaN, and order -0 below +0.
template <typename T>
T float_min(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <typename T>
T float_max(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

// bfe: `length` bits of `a` from `position`, sign- or zero-extended.
template <typename T>
void bit_field_extract(Warp& w, const Op& op) {
  constexpr int WIDTH = 8 * sizeof(T);
  const Lanes<T> a = read<T>(w, op.a);
  Lanes<T> result;
  for (int i = 0; i < WARP; ++i) {
    const int position = static_cast<int>(read<uint32_t>(w, op.b)[i] & 0xff);
    const int length = static_cast<int>(read<uint32_t>(w, op.c)[i] & 0xff);
    const int top = std::min(position + length - 1, WIDTH - 1);
    const bool sign = std::is_signed_v<T> && length > 0 &&
                      (static_cast<std::make_unsigned_t<T>>(a[i]) >> top & 1u) != 0;
    std::make_unsigned_t<T> value = 0;
    for (int bit = 0; bit < WIDTH; ++bit) {
      const bool inside = bit < length && position + bit < WIDTH;
      const bool set =
          inside ? (static_cast<std::make_unsigned_t<T>>(a[i]) >> (position + bit) & 1u) != 0
                 : sign;
      if (set) value |= std::make_unsigned_t<T>{1} << bit;
    }
    result[i] = static_cast<T>(value);
  }
  write<T>(w, op.d, result);
}

// shf.l / shf.r: 32 of the 64 bits of (b, a), shifted by c, which wraps or clamps at 32.
template <bool LEFT, bool CLAMP>
void funnel_shift(Warp& w, const Op& op) {
  const Lanes<uint32_t> low = read<uint32_t>(w, op.a);
  const Lanes<uint32_t> high = read<uint32_t>(w, op.b);
  const Lanes<uint32_t> count = read<uint32_t>(w, op.c);
  Lanes<uint32_t> result;
  for (int i = 0; i < WARP; ++i) {
    const uint32_t n = CLAMP ? std::min<uint32_t>(count[i], 32) : count[i] & 31u;
    const uint64_t both = uint64_t{high[i]} << 32 | low[i];
    result[i] = static_cast<uint32_t>(LEFT ? (both << n) >> 32 : both >> n);
  }
  write<uint32_t>(w, op.d, result);
}

// prmt in its default mode: each nibble of c selects one of the eight bytes of (b, a).
void permute_bytes(Warp& w, const Op& op) {
  const Lanes<uint32_t> a = read<uint32_t>(w, op.a);
  const Lanes<uint32_t> b = read<uint32_t>(w, op.b);
  const Lanes<uint32_t> selector = read<uint32_t>(w, op.c);
  Lanes<uint32_t> result;
  for (int i = 0; i < WARP; ++i) {
    const uint64_t bytes = uint64_t{b[i]} << 32 | a[i];
    uint32_t value = 0;
    for (int byte = 0; byte < 4; ++byte) {
      const uint32_t pick = selector[i] >> (4 * byte) & 15u;
      uint32_t chosen = static_cast<uint32_t>(bytes >> (8 * (pick & 7u))) & 0xffu;
      if ((pick & 8u) != 0) chosen = (chosen & 0x80u) != 0 ? 0xffu : 0;  // replicate the sign
      value |= chosen << (8 * byte);
    }
    result[i] = value;
  }
  write<uint32_t>(w, op.d, result);
}

// lop3: any function of three bits, given by its truth table.
void logic3(Warp& w, const Op& op) {
  const Lanes<uint32_t> a = read<uint32_t>(w, op.a);
  const Lanes<uint32_t> b = read<uint32_t>(w, op.b);
  const Lanes<uint32_t> c = read<uint32_t>(w, op.c);
  const Lanes<uint32_t> table = read<uint32_t>(w, op.e);
  Lanes<uint32_t> result = 0;
  for (uint32_t row = 0; row < 8; ++row) {
    const Lanes<uint32_t> matches =
        ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
    result |= matches & (0 - (table >> row & 1u));
  }
  write<uint32_t>(w, op.d, result);
}

// --- the table ------------------------------------------------------------------------------------

using Table = std::unordered_map<std::string, Arithmetic>;

// Functions that several entries share, so that each is compiled once.
constexpr auto ADD = [](auto a, auto b) { return a + b; };
constexpr auto SUBTRACT = [](auto a, auto b) { return a - b; };
constexpr auto MULTIPLY = [](auto a, auto b) { return a * b; };
constexpr auto MULTIPLY_ADD = [](auto a, auto b, auto c) { return a * b + c; };
constexpr auto FUSED = [](auto a, auto b, auto c) { return __builtin_elementwise_fma(a, b, c); };
constexpr auto DIVIDE = [](auto a, auto b) { return a / b; };
constexpr auto NEGATE = [](auto a) { return 0 - a; };
constexpr auto EQUAL = [](auto a, auto b) { return a == b; };
constexpr auto UNEQUAL = [](auto a, auto b) { return a != b; };
constexpr auto LESS = [](auto a, auto b) { return a < b; };
constexpr auto AT_MOST = [](auto a, auto b) { return a <= b; };
constexpr auto GREATER = [](auto a, auto b) { return a > b; };
constexpr auto AT_LEAST = [](auto a, auto b) { return a >= b; };

template <typename T>
struct Name;
template <>
struct Name<int16_t> {
  static constexpr const char* TEXT = "s16";
};
template <>
struct Name<uint16_t> {
  static constexpr const char* TEXT = "u16";
};
template <>
struct Name<int32_t> {
  static constexpr const char* TEXT = "s32";
};
template <>
struct Name<uint32_t> {
  static constexpr const char* TEXT = "u32";
};
template <>
struct Name<int64_t> {
  static constexpr const char* TEXT = "s64";
};
template <>
struct Name<uint64_t> {
  static constexpr const char* TEXT = "u64";
};
template <>
struct Name<float> {
  static constexpr const char* TEXT = "f32";
};
template <>
struct Name<double> {
  static constexpr const char* TEXT = "f64";
};

using Operands = std::initializer_list<std::string_view>;

// Adds an entry whose name comes in parts. A separate function, because its code with its callees is many times
// that of an instruction.
[[gnu::noinline]] void add_named(Table& table, std::initializer_list<std::string_view> name,
                                 Execute execute, InstructionKind kind, std::string_view result,
                                 Operands operands) {
  std::string whole;
  for (const std::string_view part : name) whole += part;
  table[whole] = {execute, kind, result, operands};
}

template <typename T>
void add_entry(Table& table, const std::string& name, Execute execute, InstructionKind kind,
               size_t operands, uint32_t flops = 0) {
  const std::string_view type = Name<T>::TEXT;
  table[name + "." + Name<T>::TEXT] = {
      execute, kind, type, std::vector<std::string_view>(operands, type), 0, flops};
}

template <typename T>
void add_integer(Table& table) {
  constexpr auto KIND = InstructionKind::integer;
  // In PTX two's complement wraps. In C++ only unsigned arithmetic does.
  using U = std::make_unsigned_t<T>;
  add_entry<T>(table, "add", binary<U, ADD>, KIND, 2);
  add_entry<T>(table, "sub", binary<U, SUBTRACT>, KIND, 2);
  add_entry<T>(table, "mul.lo", binary<U, MULTIPLY>, KIND, 2);
  add_entry<T>(table, "mad.lo", ternary<U, MULTIPLY_ADD>, KIND, 3);
  add_entry<T>(table, "neg", unary<U, NEGATE>, KIND, 1);
  add_entry<T>(
      table, "abs",
      each_unary<T, T,
                 [](T a) {
                   return static_cast<T>(a < 0 ? U{0} - static_cast<U>(a) : static_cast<U>(a));
                 }>,
      KIND, 1);
  add_entry<T>(table, "min",
               binary<T, [](auto a, auto b) { return __builtin_elementwise_min(a, b); }>, KIND, 2);
  add_entry<T>(table, "max",
               binary<T, [](auto a, auto b) { return __builtin_elementwise_max(a, b); }>, KIND, 2);
  if constexpr (sizeof(T) == 4) {
    add_entry<T>(table, "div", divide_words<T>, KIND, 2);
    add_entry<T>(table, "rem", remainder_of_words<T>, KIND, 2);
  } else {
    add_entry<T>(table, "div", each_binary<T, divide<T>>, KIND, 2);
    add_entry<T>(table, "rem", each_binary<T, remainder_of<T>>, KIND, 2);
  }
  add_entry<T>(table, "shr", shift_right<T>, KIND, 2);
  table[std::string("shr.") + Name<T>::TEXT].operands[1] = "u32";
  add_entry<T>(table, "mul.hi", high<T, false>, KIND, 2);
  add_entry<T>(table, "mad.hi", high<T, true>, KIND, 3);
  if constexpr (sizeof(T) >= 4) {
    add_entry<T>(table, "bfe", bit_field_extract<T>, KIND, 3);
    table[std::string("bfe.") + Name<T>::TEXT].operands = {Name<T>::TEXT, "u32", "u32"};
  }
}

template <typename D, typename S>
void add_wide(Table& table) {
  const std::string type = Name<S>::TEXT;
  table["mul.wide." + type] = {
      wide<D, S, false>, InstructionKind::integer, Name<D>::TEXT, {Name<S>::TEXT, Name<S>::TEXT}};
  table["mad.wide." + type] = {wide<D, S, true>,
                               InstructionKind::integer,
                               Name<D>::TEXT,
                               {Name<S>::TEXT, Name<S>::TEXT, Name<D>::TEXT}};
}

// Adds logic on T's bits. PTX writes the type as b16, b32, b64.
template <typename T>
void add_logic(Table& table, std::string_view type) {
  const auto add = [&](std::string_view name, Execute execute, std::string_view result,
                       Operands operands) {
    add_named(table, {name, ".", type}, execute, InstructionKind::integer, result, operands);
  };
  add("and", binary<T, [](auto a, auto b) { return a & b; }>, type, {type, type});
  add("or", binary<T, [](auto a, auto b) { return a | b; }>, type, {type, type});
  add("xor", binary<T, [](auto a, auto b) { return a ^ b; }>, type, {type, type});
  add("not", unary<T, [](auto a) { return ~a; }>, type, {type});
  add("cnot", each_unary<T, T, [](T a) { return static_cast<T>(a == 0); }>, type, {type});
  add("shl", shift_left<T>, type, {type, "u32"});
  add("shr", shift_right<T>, type, {type, "u32"});
  if constexpr (sizeof(T) >= 4) {
    add("popc",
        each_unary<uint32_t, T, [](T a) { return static_cast<uint32_t>(std::popcount(a)); }>, "u32",
        {type});
    add("clz",
        each_unary<uint32_t, T, [](T a) { return static_cast<uint32_t>(std::countl_zero(a)); }>,
        "u32", {type});
    add("brev", unary<T, [](auto a) { return __builtin_elementwise_bitreverse(a); }>, type, {type});
  }
}

// A NaN that a GPU computes in single precision has these bits, regardless of the operands. A host keeps an
// operand's bits.
constexpr int32_t COMPUTED_NAN = 0x7fffffff;

template <auto F>
constexpr auto COMPUTED = [](auto... operands) {
  const auto result = F(operands...);
  if constexpr (std::is_same_v<decltype(result), const Lanes<float>>) {
    const Lanes<int32_t> nan = COMPUTED_NAN;
    return bits_as<Lanes<float>>(result == result ? bits_as<Lanes<int32_t>>(result) : nan);
  } else {
    return result;
  }
};

template <typename T>
void add_float(Table& table) {
  constexpr bool SINGLE = std::is_same_v<T, float>;
  constexpr auto KIND = SINGLE ? InstructionKind::fp32 : InstructionKind::fp64;
  constexpr uint32_t FLOP = SINGLE ? 1 : 0;
  add_entry<T>(table, "add", binary<T, COMPUTED<ADD>>, KIND, 2, FLOP);
  add_entry<T>(table, "sub", binary<T, COMPUTED<SUBTRACT>>, KIND, 2, FLOP);
  add_entry<T>(table, "mul", binary<T, COMPUTED<MULTIPLY>>, KIND, 2, FLOP);
  add_entry<T>(table, "fma", ternary<T, COMPUTED<FUSED>>, SINGLE ? InstructionKind::ffma : KIND, 3,
               2 * FLOP);
  add_entry<T>(table, "div", binary<T, COMPUTED<DIVIDE>>, KIND, 2, FLOP);
  add_entry<T>(table, "neg", unary<T, [](auto a) { return -a; }>, KIND, 1);
  add_entry<T>(table, "abs", unary<T, [](auto a) { return __builtin_elementwise_abs(a); }>, KIND,
               1);
  add_entry<T>(table, "min", each_binary<T, float_min<T>>, KIND, 2);
  add_entry<T>(table, "max", each_binary<T, float_max<T>>, KIND, 2);
  add_entry<T>(table, "copysign", each_binary<T, [](T a, T b) { return std::copysign(b, a); }>,
               KIND, 2);
  add_entry<T>(table, "sqrt", each_unary<T, T, [](T a) { return std::sqrt(a); }>, KIND, 1, FLOP);
  add_entry<T>(table, "rcp", each_unary<T, T, [](T a) { return T{1} / a; }>, KIND, 1, FLOP);
  add_entry<T>(
      table, "rsqrt",
      each_unary<T, T, [](T a) { return static_cast<T>(1.0 / std::sqrt(static_cast<double>(a))); }>,
      KIND, 1, FLOP);
  if constexpr (SINGLE) {
    add_entry<T>(
        table, "ex2",
        each_unary<T, T, [](T a) { return static_cast<T>(std::exp2(static_cast<double>(a))); }>,
        KIND, 1, FLOP);
    add_entry<T>(
        table, "lg2",
        each_unary<T, T, [](T a) { return static_cast<T>(std::log2(static_cast<double>(a))); }>,
        KIND, 1, FLOP);
    add_entry<T>(
        table, "sin",
        each_unary<T, T, [](T a) { return static_cast<T>(std::sin(static_cast<double>(a))); }>,
        KIND, 1, FLOP);
    add_entry<T>(
        table, "cos",
        each_unary<T, T, [](T a) { return static_cast<T>(std::cos(static_cast<double>(a))); }>,
        KIND, 1, FLOP);
    add_entry<T>(
        table, "tanh",
        each_unary<T, T, [](T a) { return static_cast<T>(std::tanh(static_cast<double>(a))); }>,
        KIND, 1, FLOP);
  }
}

template <typename T, auto F>
void add_comparison(Table& table, std::string_view relation, std::string_view type) {
  constexpr auto KIND = InstructionKind::compare;
  constexpr auto AND = [](uint32_t a, uint32_t b) { return a & b; };
  constexpr auto OR = [](uint32_t a, uint32_t b) { return a | b; };
  constexpr auto XOR = [](uint32_t a, uint32_t b) { return a ^ b; };
  const auto add = [&](std::string_view set, std::string_view form, Execute execute,
                       std::string_view result, Operands operands) {
    add_named(table, {set, relation, form, ".", type}, execute, KIND, result, operands);
  };
  add("setp.", "", compare<T, F>, "pred", {type, type});
  add("set.", ".u32", compare_into<T, uint32_t, F>, "u32", {type, type});
  add("set.", ".s32", compare_into<T, uint32_t, F>, "u32", {type, type});
  add("set.", ".f32", compare_into<T, float, F>, "f32", {type, type});
  add("setp.", ".and", compare_and<T, F, AND>, "pred", {type, type, "pred"});
  add("setp.", ".or", compare_and<T, F, OR>, "pred", {type, type, "pred"});
  add("setp.", ".xor", compare_and<T, F, XOR>, "pred", {type, type, "pred"});
}

// Returns the lanes that hold a NaN: only a NaN differs from itself.
template <typename V>
auto is_nan(V a) {
  return a != a;  // NOLINT(misc-redundant-expression)
}

template <typename T>
void add_comparisons(Table& table, std::string_view type) {
  if constexpr (IS_FLOAT<T>) {
    // Ordered comparisons are false if an operand is NaN. The forms with u are then true.
    add_comparison<T, EQUAL>(table, "eq", type);
    add_comparison<T, [](auto a, auto b) { return (a < b) | (a > b); }>(table, "ne", type);
    add_comparison<T, [](auto a, auto b) { return (a == b) | is_nan(a) | is_nan(b); }>(table, "equ",
                                                                                       type);
    add_comparison<T, UNEQUAL>(table, "neu", type);
    add_comparison<T, [](auto a, auto b) { return ~(a >= b); }>(table, "ltu", type);
    add_comparison<T, [](auto a, auto b) { return ~(a > b); }>(table, "leu", type);
    add_comparison<T, [](auto a, auto b) { return ~(a <= b); }>(table, "gtu", type);
    add_comparison<T, [](auto a, auto b) { return ~(a < b); }>(table, "geu", type);
    add_comparison<T, [](auto a, auto b) { return ~(is_nan(a) | is_nan(b)); }>(table, "num", type);
    add_comparison<T, [](auto a, auto b) { return is_nan(a) | is_nan(b); }>(table, "nan", type);
  } else {
    using U = std::make_unsigned_t<T>;  // signs matter only to an order
    add_comparison<U, EQUAL>(table, "eq", type);
    add_comparison<U, UNEQUAL>(table, "ne", type);
  }
  add_comparison<T, LESS>(table, "lt", type);
  add_comparison<T, AT_MOST>(table, "le", type);
  add_comparison<T, GREATER>(table, "gt", type);
  add_comparison<T, AT_LEAST>(table, "ge", type);
  if constexpr (std::is_unsigned_v<T>) {
    add_comparison<T, LESS>(table, "lo", type);
    add_comparison<T, AT_MOST>(table, "ls", type);
    add_comparison<T, GREATER>(table, "hi", type);
    add_comparison<T, AT_LEAST>(table, "hs", type);
  }
}

Table make_table() {
  Table table;
  add_integer<int16_t>(table);
  add_integer<uint16_t>(table);
  add_integer<int32_t>(table);
  add_integer<uint32_t>(table);
  add_integer<int64_t>(table);
  add_integer<uint64_t>(table);
  add_wide<int32_t, int16_t>(table);
  add_wide<uint32_t, uint16_t>(table);
  add_wide<int64_t, int32_t>(table);
  add_wide<uint64_t, uint32_t>(table);
  add_logic<uint16_t>(table, "b16");
  add_logic<uint32_t>(table, "b32");
  add_logic<uint64_t>(table, "b64");
  add_float<float>(table);
  add_float<double>(table);

  add_comparisons<int16_t>(table, "s16");
  add_comparisons<uint16_t>(table, "u16");
  add_comparisons<uint16_t>(table, "b16");
  add_comparisons<int32_t>(table, "s32");
  add_comparisons<uint32_t>(table, "u32");
  add_comparisons<uint32_t>(table, "b32");
  add_comparisons<int64_t>(table, "s64");
  add_comparisons<uint64_t>(table, "u64");
  add_comparisons<uint64_t>(table, "b64");
  add_comparisons<float>(table, "f32");
  add_comparisons<double>(table, "f64");
  for (const char* type : {"b16", "u16", "s16", "b32", "u32", "s32", "f32"}) {
    table[std::string("selp.") + type] = {
        select<uint32_t>, InstructionKind::compare, type, {type, type, "pred"}};
  }
  for (const char* type : {"b64", "u64", "s64", "f64"}) {
    table[std::string("selp.") + type] = {
        select<uint64_t>, InstructionKind::compare, type, {type, type, "pred"}};
  }

  constexpr auto COMPARE = InstructionKind::compare;
  table["and.pred"] = {predicate_binary<[](uint32_t a, uint32_t b) { return a & b; }>,
                       COMPARE,
                       "pred",
                       {"pred", "pred"}};
  table["or.pred"] = {predicate_binary<[](uint32_t a, uint32_t b) { return a | b; }>,
                      COMPARE,
                      "pred",
                      {"pred", "pred"}};
  table["xor.pred"] = {predicate_binary<[](uint32_t a, uint32_t b) { return a ^ b; }>,
                       COMPARE,
                       "pred",
                       {"pred", "pred"}};
  table["not.pred"] = {predicate_unary<[](uint32_t a) { return ~a; }>, COMPARE, "pred", {"pred"}};
  table["mov.pred"] = {predicate_unary<[](uint32_t a) { return a; }>, COMPARE, "pred", {"pred"}};

  constexpr auto INTEGER = InstructionKind::integer;
  table["shf.l.wrap.b32"] = {funnel_shift<true, false>, INTEGER, "b32", {"b32", "b32", "u32"}};
  table["shf.r.wrap.b32"] = {funnel_shift<false, false>, INTEGER, "b32", {"b32", "b32", "u32"}};
  table["shf.l.clamp.b32"] = {funnel_shift<true, true>, INTEGER, "b32", {"b32", "b32", "u32"}};
  table["shf.r.clamp.b32"] = {funnel_shift<false, true>, INTEGER, "b32", {"b32", "b32", "u32"}};
  table["prmt.b32"] = {permute_bytes, INTEGER, "b32", {"b32", "b32", "b32"}};
  table["lop3.b32"] = {logic3, INTEGER, "b32", {"b32", "b32", "b32", "b32"}};

  constexpr auto MOVE = InstructionKind::move;
  for (const char* type : {"b16", "u16", "s16", "b32", "u32", "s32", "f32"}) {
    table[std::string("mov.") + type] = {
        unary<uint32_t, [](auto a) { return a; }>, MOVE, type, {type}};
  }
  for (const char* type : {"b64", "u64", "s64", "f64"}) {
    table[std::string("mov.") + type] = {
        unary<uint64_t, [](auto a) { return a; }>, MOVE, type, {type}};
  }
  return table;
}

// True for the modifiers of floating-point arithmetic that have no effect here.
bool is_default_modifier(const std::string& word) {
  return word == "rn" || word == "approx" || word == "full" || word == "wrapmode";
}

Arithmetic find_cvt(const std::vector<std::string>& opcode) {
  static const std::map<std::string, Rounding> integral = {{"rni", Rounding::nearest},
                                                           {"rzi", Rounding::zero},
                                                           {"rmi", Rounding::down},
                                                           {"rpi", Rounding::up}};
  if (opcode.size() < 3) return {};
  int32_t mode = 0;
  for (size_t i = 1; i + 2 < opcode.size(); ++i) {
    const auto found = integral.find(opcode[i]);
    if (found != integral.end()) {
      mode |= static_cast<int32_t>(found->second);
    } else if (opcode[i] == "sat") {
      mode |= SATURATE;
    } else if (opcode[i] != "rn") {
      return {};
    }
  }
  const std::string& result = opcode[opcode.size() - 2];
  const std::string& source = opcode.back();
  return {find_convert(result, source), InstructionKind::convert, result, {source}, mode};
}

}  // namespace

Arithmetic find_arithmetic(const std::vector<std::string>& opcode) {
  static const Table table = make_table();
  if (opcode[0].starts_with(MATHEMATICS_PREFIX)) return find_mathematics(opcode[0]);
  if (const Arithmetic directed = find_directed_rounding(opcode); directed.execute != nullptr)
    return directed;
  if (const Arithmetic half = find_half_precision(opcode); half.execute != nullptr) return half;
  if (opcode[0] == "cvt") return find_cvt(opcode);
  const bool approximate = std::find(opcode.begin(), opcode.end(), "approx") != opcode.end();
  std::string name;
  for (const std::string& word : opcode) {
    if (is_default_modifier(word) || (approximate && word == "ftz")) continue;
    if (!name.empty()) name += '.';
    name += word;
  }
  const auto found = table.find(name);
  return found == table.end() ? find_rare(opcode) : found->second;
}

END_LEVEL
