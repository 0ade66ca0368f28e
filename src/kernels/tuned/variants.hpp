// A table of tiles becomes kernels: a variant is a type, so its place in the table must be known when the
// kernel is compiled, and which of them to launch is known only when the program runs.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace ladder {

/// The launches of the variants 0 .. COUNT - 1, in this order, to be called by number. `launch_of` gives that
/// of variant `choice` for a std::integral_constant<size_t, choice>.
template <size_t COUNT, typename LaunchOf>
constexpr auto launches_of(const LaunchOf& launch_of) {
  return [&]<size_t... CHOICE>(std::index_sequence<CHOICE...>) {
    return std::array{launch_of(std::integral_constant<size_t, CHOICE>{})...};
  }(std::make_index_sequence<COUNT>{});
}

}  // namespace ladder
