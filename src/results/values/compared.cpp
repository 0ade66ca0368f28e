#include "results/values/compared.hpp"

#include <algorithm>
#include <iterator>

namespace results {
namespace {

constexpr const char* CHANGES[] = {"SAME", "FASTER", "SLOWER", "UNSURE", "CHANGED", "WRONG"};

}  // namespace

const char* name_of(Change change) { return CHANGES[static_cast<int>(change)]; }

std::optional<Change> change_named(std::string_view name) {
  const auto found =
      std::ranges::find(CHANGES, name, [](const char* n) { return std::string_view(n); });
  if (found == std::end(CHANGES)) return std::nullopt;
  return static_cast<Change>(found - std::begin(CHANGES));
}

}  // namespace results
