// From the name of a PTX type to a C++ type.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace simulator {

/// Calls visit(std::type_identity<T>{}) with the C++ type for the PTX type `name` and returns its result. Returns
/// a value-initialised result if there is no such type. b8 to b64 are unsigned integers.
template <typename Visit>
auto with_type(std::string_view name, Visit&& visit) {
  using Result = decltype(visit(std::type_identity<uint8_t>{}));
  if (name == "u8" || name == "b8") return visit(std::type_identity<uint8_t>{});
  if (name == "s8") return visit(std::type_identity<int8_t>{});
  if (name == "u16" || name == "b16") return visit(std::type_identity<uint16_t>{});
  if (name == "s16") return visit(std::type_identity<int16_t>{});
  if (name == "u32" || name == "b32") return visit(std::type_identity<uint32_t>{});
  if (name == "s32") return visit(std::type_identity<int32_t>{});
  if (name == "u64" || name == "b64") return visit(std::type_identity<uint64_t>{});
  if (name == "s64") return visit(std::type_identity<int64_t>{});
  if (name == "f32") return visit(std::type_identity<float>{});
  if (name == "f64") return visit(std::type_identity<double>{});
  return Result{};
}

}  // namespace simulator
