#include "simulator/execute/scalar/half_precision.hpp"

#include <bit>
#include <cstdint>
#include <map>

#include "simulator/execute/state/warp.hpp"

namespace simulator {
namespace {

template <typename Use>
void for_each_active(const Warp& w, Use&& use) {
  for (uint32_t rest = w.active; rest != 0; rest &= rest - 1)
    use(static_cast<size_t>(std::countr_zero(rest)));
}

// D = F(A), lane by lane, in registers of 32 bits.
template <auto F>
void each(Warp& w, const Op& op) {
  const auto* const a = lanes_of<uint32_t>(w, op.a);
  auto* const d = result_of<uint32_t>(w, op.d);
  for_each_active(w, [&](size_t lane) { d[lane] = F(a[lane]); });
}

constexpr uint32_t WITHOUT_SIGN = 0x7fffffff, INFINITE = 0x7f800000;
bool is_nan(uint32_t bits) { return (bits & WITHOUT_SIGN) > INFINITE; }

// ---- TF32: an FP32 number whose lower 13 bits are zero.

constexpr uint32_t CUT = 0x1fff, TIE = 0x1000, NAN_OF_TF32 = 0x7fffe000;

enum class Ties { away, even, cut_off };

// Adding to the bits of a finite number rounds it: a carry goes on into the exponent, up to infinity.
//
// With ties away from zero a GPU cuts a NaN off like any number, so that one whose upper bits are zero becomes
// infinite. In the other roundings each NaN becomes the same one. (Seen on an H100.)
template <Ties TIES, bool RELU>
uint32_t to_tf32(uint32_t bits) {
  if (TIES != Ties::away && is_nan(bits)) return NAN_OF_TF32;
  if (RELU && (bits & ~WITHOUT_SIGN) != 0) return 0;
  if ((bits & INFINITE) != INFINITE) {
    if (TIES == Ties::away) bits += TIE;
    if (TIES == Ties::even) bits += TIE - 1 + (bits >> 13 & 1);
  }
  return bits & ~CUT;
}

}  // namespace

Arithmetic find_tf32_conversion(const std::vector<std::string>& opcode) {
  static const std::map<std::string, Execute> conversions = {
      {"cvt.rna.tf32.f32", each<to_tf32<Ties::away, false>>},
      {"cvt.rn.tf32.f32", each<to_tf32<Ties::even, false>>},
      {"cvt.rz.tf32.f32", each<to_tf32<Ties::cut_off, false>>},
      {"cvt.rn.relu.tf32.f32", each<to_tf32<Ties::even, true>>},
      {"cvt.rz.relu.tf32.f32", each<to_tf32<Ties::cut_off, true>>},
  };
  std::string name;
  for (const std::string& word : opcode) name += (name.empty() ? "" : ".") + word;
  const auto found = conversions.find(name);
  if (found == conversions.end()) return {};
  return {found->second, InstructionKind::convert, "b32", {"f32"}};
}

}  // namespace simulator
