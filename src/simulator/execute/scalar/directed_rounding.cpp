#include "simulator/execute/scalar/directed_rounding.hpp"

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "simulator/decode/opcodes.hpp"
#include "simulator/execute/state/warp.hpp"

// The host's arithmetic rounds by its mode. The compiler must not compute at compile time, or move a computation
// out of the mode's scope.
#pragma STDC FENV_ACCESS ON

namespace simulator {
namespace {

class RoundingMode {
 public:
  explicit RoundingMode(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~RoundingMode() { std::fesetround(before_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  int before_;
};

// Calls compute(lane) for the active lanes while the host rounds in MODE.
template <int MODE, typename Compute>
void each_active_lane(const Warp& w, Compute&& compute) {
  const RoundingMode mode(MODE);
  for (uint32_t rest = w.active; rest != 0; rest &= rest - 1)
    compute(static_cast<size_t>(std::countr_zero(rest)));
}

template <int MODE, auto F, typename D, typename S>
void unary(Warp& w, const Op& op) {
  const S* const a = lanes_of<S>(w, op.a);
  D* const d = result_of<D>(w, op.d);
  each_active_lane<MODE>(w, [&](size_t lane) { d[lane] = F(a[lane]); });
}

template <int MODE, auto F, typename T>
void binary(Warp& w, const Op& op) {
  const T* const a = lanes_of<T>(w, op.a);
  const T* const b = lanes_of<T>(w, op.b);
  T* const d = result_of<T>(w, op.d);
  each_active_lane<MODE>(w, [&](size_t lane) { d[lane] = F(a[lane], b[lane]); });
}

template <int MODE, typename T>
void fused(Warp& w, const Op& op) {
  const T* const a = lanes_of<T>(w, op.a);
  const T* const b = lanes_of<T>(w, op.b);
  const T* const c = lanes_of<T>(w, op.c);
  T* const d = result_of<T>(w, op.d);
  each_active_lane<MODE>(w, [&](size_t lane) { d[lane] = std::fma(a[lane], b[lane], c[lane]); });
}

template <typename D, typename S>
D convert(S value) {
  // Zero is converted here, because compilers split a 64-bit integer into halves, and the sum of two zeros
  // rounded down is -0.
  if (std::is_integral_v<S> && value == 0) return D{0};
  return static_cast<D>(value);
}

using Table = std::unordered_map<std::string, Arithmetic>;

template <int MODE, typename T>
void add_arithmetic(Table& table, const std::string& rounding, std::string_view type) {
  constexpr bool SINGLE = std::is_same_v<T, float>;
  constexpr auto KIND = SINGLE ? InstructionKind::fp32 : InstructionKind::fp64;
  constexpr uint32_t FLOP = SINGLE ? 1 : 0;
  const std::string suffix = "." + rounding + "." + std::string(type);
  const auto add = [&](const char* name, Execute execute, size_t operands) {
    table[name + suffix] = {execute, KIND, type, std::vector<std::string_view>(operands, type),
                            0,       FLOP};
  };
  add("add", binary<MODE, [](T a, T b) { return a + b; }, T>, 2);
  add("sub", binary<MODE, [](T a, T b) { return a - b; }, T>, 2);
  add("mul", binary<MODE, [](T a, T b) { return a * b; }, T>, 2);
  add("div", binary<MODE, [](T a, T b) { return a / b; }, T>, 2);
  add("rcp", unary<MODE, [](T a) { return T{1} / a; }, T, T>, 1);
  add("sqrt", unary<MODE, [](T a) { return std::sqrt(a); }, T, T>, 1);
  table["fma" + suffix] = {fused<MODE, T>,
                           SINGLE ? InstructionKind::ffma : InstructionKind::fp64,
                           type,
                           {type, type, type},
                           0,
                           2 * FLOP};
}

template <int MODE, typename D, typename S>
void add_conversion(Table& table, const std::string& rounding, std::string_view result,
                    std::string_view source) {
  table["cvt." + rounding + "." + std::string(result) + "." + std::string(source)] = {
      unary<MODE, convert<D, S>, D, S>, InstructionKind::convert, result, {source}};
}

template <int MODE>
void add_all(Table& table, const std::string& rounding) {
  add_arithmetic<MODE, float>(table, rounding, "f32");
  add_arithmetic<MODE, double>(table, rounding, "f64");
  add_conversion<MODE, float, double>(table, rounding, "f32", "f64");
  add_conversion<MODE, float, int32_t>(table, rounding, "f32", "s32");
  add_conversion<MODE, float, uint32_t>(table, rounding, "f32", "u32");
  add_conversion<MODE, float, int64_t>(table, rounding, "f32", "s64");
  add_conversion<MODE, float, uint64_t>(table, rounding, "f32", "u64");
  add_conversion<MODE, double, int32_t>(table, rounding, "f64", "s32");
  add_conversion<MODE, double, uint32_t>(table, rounding, "f64", "u32");
  add_conversion<MODE, double, int64_t>(table, rounding, "f64", "s64");
  add_conversion<MODE, double, uint64_t>(table, rounding, "f64", "u64");
}

Table make_table() {
  Table table;
  add_all<FE_TOWARDZERO>(table, "rz");
  add_all<FE_DOWNWARD>(table, "rm");
  add_all<FE_UPWARD>(table, "rp");
  return table;
}

}  // namespace

Arithmetic find_directed_rounding(const std::vector<std::string>& opcode) {
  static const Table table = make_table();
  const auto found = table.find(spelled(opcode));
  return found == table.end() ? Arithmetic{} : found->second;
}

}  // namespace simulator
