// The kinds of data that a product's matrices may hold.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace results {

/// The kinds, by name. src/runner/verify/inputs.hpp makes the elements.
enum class Data {
  uniform,
  normal,
  lognormal,
  scaled,
  inner_scaled,
  cancelling,
  integers,
  positive,
  special,
};

inline constexpr std::array EVERY_DATA{
    Data::uniform,    Data::normal,   Data::lognormal, Data::scaled,  Data::inner_scaled,
    Data::cancelling, Data::integers, Data::positive,  Data::special,
};

/// Returns "inner_scaled": the name in options and JSON.
const char* name_of(Data data);
/// Returns nothing if there is no such name.
std::optional<Data> data_named(std::string_view name);

}  // namespace results
