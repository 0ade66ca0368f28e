#include "simulator/execute/scalar/half_precision.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <type_traits>

#include "simulator/decode/opcodes.hpp"
#include "simulator/execute/state/warp.hpp"
#include "simulator/include/simulated/half_formats.h"

namespace simulator {
namespace {

// D = F(A), lane by lane, in registers of 32 bits.
template <auto F>
void each(Warp& w, const Op& op) {
  const auto* const a = lanes_of<uint32_t>(w, op.a);
  auto* const d = result_of<uint32_t>(w, op.d);
  for_each_active(w, [&](size_t lane) { d[lane] = F(a[lane]); });
}

using __simulator_half::Tf32;

constexpr uint32_t WITHOUT_SIGN = 0x7fffffff, INFINITE = Tf32::Infinite;
bool is_nan(uint32_t bits) { return (bits & WITHOUT_SIGN) > INFINITE; }

// ---- TF32: an FP32 number whose lower 13 bits are zero.

constexpr uint32_t NAN_OF_TF32 = 0x7fffe000;

enum class Ties { away, even, cut_off };

// With ties away from zero a GPU cuts a NaN off like any number, so that one whose upper bits are zero becomes
// infinite. In the other roundings each NaN becomes the same one. (Seen on an H100.)
template <Ties TIES, bool RELU>
uint32_t to_tf32(uint32_t bits) {
  if (TIES == Ties::away) return Tf32::ties_away(bits);
  if (is_nan(bits)) return NAN_OF_TF32;
  if (RELU && (bits & ~WITHOUT_SIGN) != 0) return 0;
  return TIES == Ties::even ? Tf32::rounded(bits, Tf32::Half - 1 + (bits >> 13 & 1))
                            : Tf32::rounded(bits, 0);
}

// ---- Arithmetic on 16 bits, or on the two halves of 32.

using __simulator_half::Bf16;
using __simulator_half::Fp16;
using __simulator_half::Rounding;

// Op::extra: the modifiers of an opcode. They leave room for CONVERT_FROM_64 and CONVERT_TO_64.
constexpr int32_t FLUSH = 1, SATURATE = 2, RELU = 4, NAN_WINS = 8, ROUNDING_SHIFT = 8;

template <typename F>
uint32_t flushed(uint32_t a, int32_t modifiers) {
  return (modifiers & FLUSH) != 0 && F::is_subnormal(a) ? a & F::Sign : a;
}

// Applies the modifiers to a result. sat: [0, 1], NaN to 0. relu: negative numbers to 0.
template <typename F>
uint32_t modified(uint32_t a, int32_t modifiers) {
  a = flushed<F>(a, modifiers);
  if ((modifiers & SATURATE) != 0) {
    constexpr uint32_t ONE = F::Bias << F::Fraction;
    return F::is_nan(a) || (a & F::Sign) != 0 ? 0 : std::min(a, ONE);
  }
  if ((modifiers & RELU) != 0 && !F::is_nan(a) && (a & F::Sign) != 0) return 0;
  return a;
}

enum class Half {
  add,
  subtract,
  multiply,
  fused,
  negate,
  magnitude,
  minimum,
  maximum,
  power,
  tanh
};

template <typename F, Half OPERATION>
uint32_t compute(uint32_t a, uint32_t b, uint32_t c, int32_t modifiers) {
  a = flushed<F>(a, modifiers);
  b = flushed<F>(b, modifiers);
  c = flushed<F>(c, modifiers);
  const bool nan_wins = (modifiers & NAN_WINS) != 0;
  switch (OPERATION) {
    case Half::add:
      return modified<F>(F::add(a, b), modifiers);
    case Half::subtract:
      return modified<F>(F::subtract(a, b), modifiers);
    case Half::multiply:
      return modified<F>(F::multiply(a, b), modifiers);
    case Half::fused:
      return modified<F>(F::fused(a, b, c), modifiers);
    case Half::negate:
      return F::negate(a);
    case Half::magnitude:
      return F::magnitude(a);
    case Half::minimum:
      return F::extreme(a, b, false, nan_wins);
    case Half::maximum:
      return F::extreme(a, b, true, nan_wins);
    case Half::power:
      return F::narrow(std::exp2(F::widen(a)));
    case Half::tanh:
      return F::narrow(std::tanh(F::widen(a)));
  }
  return 0;
}

// Calls F with the operands, or with each half of them.
template <bool PAIR, auto F>
uint32_t of_halves(uint32_t a, uint32_t b, uint32_t c, int32_t modifiers) {
  const uint32_t low = F(a & 0xffff, b & 0xffff, c & 0xffff, modifiers);
  if constexpr (!PAIR) return low;
  return low | F(a >> 16, b >> 16, c >> 16, modifiers) << 16;
}

template <size_t OPERANDS, bool PAIR, auto F>
void each_half(Warp& w, const Op& op) {
  const auto* const a = lanes_of<uint32_t>(w, op.a);
  const auto* const b = lanes_of<uint32_t>(w, OPERANDS > 1 ? op.b : op.a);
  const auto* const c = lanes_of<uint32_t>(w, OPERANDS > 2 ? op.c : op.a);
  auto* const d = result_of<uint32_t>(w, op.d);
  for_each_active(
      w, [&](size_t lane) { d[lane] = of_halves<PAIR, F>(a[lane], b[lane], c[lane], op.extra); });
}

// ---- Comparisons.

enum class Relation { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

template <typename F, Relation RELATION>
bool holds(uint32_t a, uint32_t b) {
  const double x = F::widen(a), y = F::widen(b);
  const bool unordered = std::isnan(x) || std::isnan(y);
  switch (RELATION) {
    case Relation::eq:
      return x == y;
    case Relation::ne:
      return !unordered && x != y;
    case Relation::lt:
      return x < y;
    case Relation::le:
      return x <= y;
    case Relation::gt:
      return x > y;
    case Relation::ge:
      return x >= y;
    case Relation::equ:
      return unordered || x == y;
    case Relation::neu:
      return x != y;
    case Relation::ltu:
      return !(x >= y);
    case Relation::leu:
      return !(x > y);
    case Relation::gtu:
      return !(x <= y);
    case Relation::geu:
      return !(x < y);
    case Relation::num:
      return !unordered;
    case Relation::nan:
      return unordered;
  }
  return false;
}

template <typename F, Relation RELATION>
void compare(Warp& w, const Op& op) {
  const auto* const a = lanes_of<uint32_t>(w, op.a);
  const auto* const b = lanes_of<uint32_t>(w, op.b);
  uint32_t result = 0;
  for_each_active(w, [&](size_t lane) {
    if (holds<F, RELATION>(a[lane] & 0xffff, b[lane] & 0xffff)) result |= 1u << lane;
  });
  w.predicates[op.d] = (w.predicates[op.d] & ~w.active) | result;
}

// set: one, or zero.
template <typename F, Relation RELATION>
uint32_t one_if(uint32_t a, uint32_t b, uint32_t, int32_t) {
  return holds<F, RELATION>(a, b) ? F::Bias << F::Fraction : 0;
}
// set with an integer as its result: all ones, or zero.
template <typename F, Relation RELATION>
uint32_t ones_if(uint32_t a, uint32_t b, uint32_t, int32_t) {
  return holds<F, RELATION>(a, b) ? 0xffff : 0;
}
template <typename F, Relation RELATION>
uint32_t word_if(uint32_t a, uint32_t b, uint32_t, int32_t) {
  return holds<F, RELATION>(a, b) ? ~0u : 0;
}

// ---- Conversions. A number goes through a double, which holds each value of the narrower formats.

template <typename S>
double number(uint64_t bits) {
  if constexpr (std::is_same_v<S, Fp16> || std::is_same_v<S, Bf16>) {
    return S::widen(static_cast<uint32_t>(bits) & 0xffff);
  } else if constexpr (std::is_same_v<S, float>) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  } else if constexpr (std::is_same_v<S, double>) {
    return std::bit_cast<double>(bits);
  } else {
    const auto value = static_cast<S>(bits);
    const bool negative = value < 0;
    const auto magnitude = static_cast<uint64_t>(static_cast<int64_t>(value));
    if constexpr (std::is_unsigned_v<S>) return Fp16::odd(value, false);
    return Fp16::odd(negative ? 0 - magnitude : magnitude, negative);
  }
}

// Returns the number rounded to a whole one.
double whole(double value, int32_t modifiers) {
  switch (static_cast<Rounding>(modifiers >> ROUNDING_SHIFT)) {
    case Rounding::nearest:
      return std::nearbyint(value);
    case Rounding::zero:
      return std::trunc(value);
    case Rounding::down:
      return std::floor(value);
    case Rounding::up:
      return std::ceil(value);
  }
  return value;
}

template <typename D, typename S, bool TO_WHOLE>
uint64_t converted(uint64_t bits, int32_t modifiers) {
  double value = number<S>(bits);
  if constexpr (TO_WHOLE) value = whole(value, modifiers);
  if constexpr (std::is_same_v<D, Fp16> || std::is_same_v<D, Bf16>) {
    const auto rounding =
        TO_WHOLE ? Rounding::nearest : static_cast<Rounding>(modifiers >> ROUNDING_SHIFT);
    return modified<D>(D::narrow(value, rounding), modifiers);
  } else if constexpr (std::is_same_v<D, float>) {
    // A GPU only shifts BF16.
    if constexpr (std::is_same_v<S, Bf16>) return (bits & 0xffff) << 16;
    if (std::isnan(value)) return 0x7fffffff;
    if ((modifiers & SATURATE) != 0) value = std::clamp(value, 0.0, 1.0);
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<D, double>) {
    return std::bit_cast<uint64_t>(value);
  } else {
    // Beyond the integer's range the result is its nearest limit. (Of NaN as seen on an H100.)
    if (std::isnan(value)) return sizeof(D) == 8 ? uint64_t{1} << 63 : 0;
    if (value <= static_cast<double>(std::numeric_limits<D>::min()))
      return static_cast<uint64_t>(static_cast<int64_t>(std::numeric_limits<D>::min()));
    if (value >= static_cast<double>(std::numeric_limits<D>::max()))
      return static_cast<uint64_t>(std::numeric_limits<D>::max());
    return static_cast<uint64_t>(static_cast<D>(value));
  }
}

template <typename D, typename S, bool TO_WHOLE>
void convert(Warp& w, const Op& op) {
  const bool from_64 = (op.extra & CONVERT_FROM_64) != 0, to_64 = (op.extra & CONVERT_TO_64) != 0;
  for_each_active(w, [&](size_t lane) {
    const uint64_t bits =
        from_64 ? lanes_of<uint64_t>(w, op.a)[lane] : lanes_of<uint32_t>(w, op.a)[lane];
    uint64_t result = converted<D, S, TO_WHOLE>(bits, op.extra);
    if (to_64) {
      result_of<uint64_t>(w, op.d)[lane] = result;
    } else {
      if (std::is_integral_v<D> && sizeof(D) <= 2) result &= 0xffff;
      result_of<uint32_t>(w, op.d)[lane] = static_cast<uint32_t>(result);
    }
  });
}

// cvt.rn.f16x2.f32 d, a, b: a becomes the upper half.
template <typename F>
void convert_pair(Warp& w, const Op& op) {
  const auto* const a = lanes_of<uint32_t>(w, op.a);
  const auto* const b = lanes_of<uint32_t>(w, op.b);
  auto* const d = result_of<uint32_t>(w, op.d);
  for_each_active(w, [&](size_t lane) {
    const auto high = static_cast<uint32_t>(converted<F, float, false>(a[lane], op.extra));
    const auto low = static_cast<uint32_t>(converted<F, float, false>(b[lane], op.extra));
    d[lane] = high << 16 | low;
  });
}

// ---- The tables, by the opcode without its modifiers.

using Table = std::map<std::string, Arithmetic>;

template <typename F, bool PAIR, Half OPERATION, size_t OPERANDS>
void add_operation(Table& table, const std::string& name, uint32_t flops = 0) {
  const std::string_view place = PAIR ? "b32" : "b16";
  table[name] = {each_half<OPERANDS, PAIR, compute<F, OPERATION>>,
                 InstructionKind::fp32,
                 place,
                 std::vector<std::string_view>(OPERANDS, place),
                 0,
                 PAIR ? 2 * flops : flops};
}

template <typename F, bool PAIR>
void add_arithmetic(Table& table, const std::string& type) {
  add_operation<F, PAIR, Half::add, 2>(table, "add." + type, 1);
  add_operation<F, PAIR, Half::subtract, 2>(table, "sub." + type, 1);
  add_operation<F, PAIR, Half::multiply, 2>(table, "mul." + type, 1);
  add_operation<F, PAIR, Half::fused, 3>(table, "fma." + type, 2);
  add_operation<F, PAIR, Half::negate, 1>(table, "neg." + type);
  add_operation<F, PAIR, Half::magnitude, 1>(table, "abs." + type);
  add_operation<F, PAIR, Half::minimum, 2>(table, "min." + type);
  add_operation<F, PAIR, Half::maximum, 2>(table, "max." + type);
  add_operation<F, PAIR, Half::power, 1>(table, "ex2." + type);
  add_operation<F, PAIR, Half::tanh, 1>(table, "tanh." + type);
}

template <typename F, Relation RELATION>
void add_relation(Table& table, const std::string& relation, const std::string& type) {
  constexpr auto COMPARE = InstructionKind::compare;
  const std::string pair = type + "x2";
  const auto add = [&](const std::string& name, Execute execute, std::string_view result,
                       std::string_view operand) {
    table[name] = {execute, COMPARE, result, {operand, operand}};
  };
  add("setp." + relation + "." + type, compare<F, RELATION>, "pred", "b16");
  const std::string set = "set." + relation + ".";
  add(set + type + "." + type, each_half<2, false, one_if<F, RELATION>>, "b16", "b16");
  add(set + pair + "." + pair, each_half<2, true, one_if<F, RELATION>>, "b32", "b32");
  for (const char* integer : {"u16", "s16"})
    add(set + integer + "." + type, each_half<2, false, ones_if<F, RELATION>>, "b16", "b16");
  for (const char* integer : {"u32", "s32"}) {
    add(set + integer + "." + type, each_half<2, false, word_if<F, RELATION>>, "b32", "b16");
    add(set + integer + "." + pair, each_half<2, true, ones_if<F, RELATION>>, "b32", "b32");
  }
}

template <typename F>
void add_relations(Table& table, const std::string& type) {
  add_relation<F, Relation::eq>(table, "eq", type);
  add_relation<F, Relation::ne>(table, "ne", type);
  add_relation<F, Relation::lt>(table, "lt", type);
  add_relation<F, Relation::le>(table, "le", type);
  add_relation<F, Relation::gt>(table, "gt", type);
  add_relation<F, Relation::ge>(table, "ge", type);
  add_relation<F, Relation::equ>(table, "equ", type);
  add_relation<F, Relation::neu>(table, "neu", type);
  add_relation<F, Relation::ltu>(table, "ltu", type);
  add_relation<F, Relation::leu>(table, "leu", type);
  add_relation<F, Relation::gtu>(table, "gtu", type);
  add_relation<F, Relation::geu>(table, "geu", type);
  add_relation<F, Relation::num>(table, "num", type);
  add_relation<F, Relation::nan>(table, "nan", type);
}

// "whole." before a cvt's name: one that rounds to whole numbers (rni, rzi, rmi, rpi).
template <typename F, typename T>
void add_integer(Table& table, const std::string& type, const char* integer) {
  constexpr auto CONVERT = InstructionKind::convert;
  const std::string_view place = sizeof(T) == 8 ? "b64" : sizeof(T) == 4 ? "b32" : "b16";
  table["cvt." + type + "." + integer] = {convert<F, T, false>, CONVERT, "b16", {place}};
  table[std::string("whole.cvt.") + integer + "." + type] = {
      convert<T, F, true>, CONVERT, place, {"b16"}};
}

template <typename F>
void add_conversions(Table& table, const std::string& type) {
  constexpr auto CONVERT = InstructionKind::convert;
  add_integer<F, uint8_t>(table, type, "u8");
  add_integer<F, int8_t>(table, type, "s8");
  add_integer<F, uint16_t>(table, type, "u16");
  add_integer<F, int16_t>(table, type, "s16");
  add_integer<F, uint32_t>(table, type, "u32");
  add_integer<F, int32_t>(table, type, "s32");
  add_integer<F, uint64_t>(table, type, "u64");
  add_integer<F, int64_t>(table, type, "s64");
  table["cvt." + type + ".f32"] = {convert<F, float, false>, CONVERT, "b16", {"f32"}};
  table["cvt." + type + ".f64"] = {convert<F, double, false>, CONVERT, "b16", {"f64"}};
  table["cvt.f32." + type] = {convert<float, F, false>, CONVERT, "f32", {"b16"}};
  table["cvt.f64." + type] = {convert<double, F, false>, CONVERT, "f64", {"b16"}};
  table["cvt." + type + "." + type] = {convert<F, F, false>, CONVERT, "b16", {"b16"}};
  table["whole.cvt." + type + "." + type] = {convert<F, F, true>, CONVERT, "b16", {"b16"}};
  table["cvt." + type + "x2.f32"] = {convert_pair<F>, CONVERT, "b32", {"f32", "f32"}};
}

template <typename F>
void add_format(Table& table, const std::string& type) {
  add_arithmetic<F, false>(table, type);
  add_arithmetic<F, true>(table, type + "x2");
  add_relations<F>(table, type);
  add_conversions<F>(table, type);
}

Table make_table() {
  Table table;
  add_format<Fp16>(table, "f16");
  add_format<Bf16>(table, "bf16");
  table["cvt.bf16.f16"] = {convert<Bf16, Fp16, false>, InstructionKind::convert, "b16", {"b16"}};
  table["cvt.f16.bf16"] = {convert<Fp16, Bf16, false>, InstructionKind::convert, "b16", {"b16"}};
  return table;
}

Arithmetic find_tf32_conversion(const std::vector<std::string>& opcode) {
  static const std::map<std::string, Execute> conversions = {
      {"cvt.rna.tf32.f32", each<to_tf32<Ties::away, false>>},
      {"cvt.rn.tf32.f32", each<to_tf32<Ties::even, false>>},
      {"cvt.rz.tf32.f32", each<to_tf32<Ties::cut_off, false>>},
      {"cvt.rn.relu.tf32.f32", each<to_tf32<Ties::even, true>>},
      {"cvt.rz.relu.tf32.f32", each<to_tf32<Ties::cut_off, true>>},
  };
  const auto found = conversions.find(spelled(opcode));
  if (found == conversions.end()) return {};
  return {found->second, InstructionKind::convert, "b32", {"f32"}};
}

// The meaning of the words before an opcode's types.
struct Modifiers {
  int32_t bits = 0;
  bool to_whole = false;
};

// Returns the modifiers of an opcode, or nothing if it has one that its operation lacks.
std::optional<Modifiers> modifiers_of(const std::string& head,
                                      const std::vector<std::string>& words, bool is_bf16) {
  static const std::map<std::string_view, Rounding> roundings = {{"rn", Rounding::nearest},
                                                                 {"rz", Rounding::zero},
                                                                 {"rp", Rounding::up},
                                                                 {"rm", Rounding::down}};
  static const std::map<std::string_view, Rounding> to_whole = {{"rni", Rounding::nearest},
                                                                {"rzi", Rounding::zero},
                                                                {"rpi", Rounding::up},
                                                                {"rmi", Rounding::down}};
  const bool is_sum = head == "add" || head == "sub" || head == "mul" || head == "fma";
  const bool is_extreme = head == "min" || head == "max";
  const bool is_conversion = head == "cvt", is_function = head == "ex2" || head == "tanh";
  Modifiers modifiers;
  for (const std::string& word : words) {
    const auto rounding = roundings.find(word), whole = to_whole.find(word);
    if (rounding != roundings.end() && (is_conversion || (is_sum && word == "rn"))) {
      modifiers.bits |= static_cast<int32_t>(rounding->second) << ROUNDING_SHIFT;
    } else if (whole != to_whole.end() && is_conversion) {
      modifiers.bits |= static_cast<int32_t>(whole->second) << ROUNDING_SHIFT;
      modifiers.to_whole = true;
    } else if (word == "ftz" && !is_conversion && !is_bf16) {
      modifiers.bits |= FLUSH;
    } else if (word == "sat" && (is_sum || is_conversion) && !is_bf16) {
      modifiers.bits |= SATURATE;
    } else if (word == "relu" && (head == "fma" || is_conversion)) {
      modifiers.bits |= RELU;
    } else if (word == "NaN" && is_extreme) {
      modifiers.bits |= NAN_WINS;
    } else if (!(is_function && (word == "approx" || word == "ftz"))) {
      return std::nullopt;
    }
  }
  return modifiers;
}

bool is_half(const std::string& type) {
  return type == "f16" || type == "f16x2" || type == "bf16" || type == "bf16x2";
}

}  // namespace

Arithmetic find_half_precision(const std::vector<std::string>& opcode) {
  const size_t words = opcode.size();
  if (words < 2) return {};
  if (opcode[words - 2] == "tf32") return find_tf32_conversion(opcode);
  if (!is_half(opcode.back()) && !is_half(opcode[words - 2])) return {};
  static const Table table = make_table();  // made by the first program that needs it
  const std::string& head = opcode[0];
  const bool is_comparison = head == "set" || head == "setp";
  const size_t types = head == "cvt" ? 2 : 1;
  std::string name = head;
  Modifiers modifiers;
  if (is_comparison) {
    name = spelled(opcode);
  } else {
    if (words < 1 + types) return {};
    const auto found =
        modifiers_of(head, {opcode.begin() + 1, opcode.end() - static_cast<std::ptrdiff_t>(types)},
                     opcode.back().starts_with("bf16"));
    if (!found) return {};
    modifiers = *found;
    if (modifiers.to_whole) name = "whole." + name;
    for (size_t i = words - types; i < words; ++i) name += "." + opcode[i];
  }
  const auto found = table.find(name);
  if (found == table.end()) return {};
  Arithmetic arithmetic = found->second;
  arithmetic.extra = modifiers.bits;
  return arithmetic;
}

uint16_t add_f16(uint16_t a, uint16_t b) { return Fp16::add(a, b); }
uint16_t add_bf16(uint16_t a, uint16_t b) { return Bf16::add(a, b); }
uint16_t smaller_f16(uint16_t a, uint16_t b) { return Fp16::extreme(a, b, false, false); }
uint16_t larger_f16(uint16_t a, uint16_t b) { return Fp16::extreme(a, b, true, false); }
uint16_t smaller_bf16(uint16_t a, uint16_t b) { return Bf16::extreme(a, b, false, false); }
uint16_t larger_bf16(uint16_t a, uint16_t b) { return Bf16::extreme(a, b, true, false); }
uint32_t add_f16x2(uint32_t a, uint32_t b) {
  return of_halves<true, compute<Fp16, Half::add>>(a, b, 0, 0);
}
uint32_t add_bf16x2(uint32_t a, uint32_t b) {
  return of_halves<true, compute<Bf16, Half::add>>(a, b, 0, 0);
}

void halves_to_singles(std::span<uint32_t> numbers) {
  for (uint32_t& bits : numbers)
    bits = std::bit_cast<uint32_t>(static_cast<float>(Fp16::widen(bits)));
}

void singles_to_halves(std::span<uint32_t> numbers) {
  for (uint32_t& bits : numbers) bits = Fp16::narrow(std::bit_cast<float>(bits));
}

}  // namespace simulator
