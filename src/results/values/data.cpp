#include "results/values/data.hpp"

#include <algorithm>

namespace results {
namespace {

// In the order of the enumeration.
constexpr std::array<const char*, EVERY_DATA.size()> NAMES{
    "uniform",    "normal",   "lognormal", "scaled",  "inner_scaled",
    "cancelling", "integers", "positive",  "special",
};

}  // namespace

const char* name_of(Data data) { return NAMES.at(static_cast<size_t>(data)); }

std::optional<Data> data_named(std::string_view name) {
  const auto found = std::ranges::find_if(EVERY_DATA, [&](Data d) { return name == name_of(d); });
  return found == EVERY_DATA.end() ? std::nullopt : std::optional(*found);
}

}  // namespace results
