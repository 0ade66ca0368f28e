// The labs of labs.def, as values.
#include <array>

#include "labs/lab.hpp"

namespace lab {

// A lab has its file's name. NOLINTBEGIN(readability-identifier-naming)
#define LAB(name) extern const Lab name;  // NOLINT(bugprone-macro-parentheses)
#include "labs/labs.def"
#undef LAB
// NOLINTEND(readability-identifier-naming)

std::span<const Lab* const> all() {
  static constexpr std::array LIST{
#define LAB(name) &name,  // NOLINT(bugprone-macro-parentheses)
#include "labs/labs.def"
#undef LAB
  };
  return LIST;
}

namespace {

Sizes sizes_of(const Lab& of, int64_t Parameter::* value) {
  std::vector<std::pair<std::string, int64_t>> sizes;
  sizes.reserve(of.parameters.size());
  for (const Parameter& parameter : of.parameters) {
    sizes.emplace_back(parameter.name, parameter.*value);
  }
  return Sizes(std::move(sizes));
}

}  // namespace

const char* path(const Variant& variant, const Sizes& sizes) {
  return variant.path == nullptr ? nullptr : variant.path(sizes);
}
const char* refusal(const Variant& variant, const Sizes& sizes) {
  return variant.refuses == nullptr ? nullptr : variant.refuses(sizes);
}

Sizes counted_sizes(const Lab& of) { return sizes_of(of, &Parameter::counted); }
Sizes timed_sizes(const Lab& of) { return sizes_of(of, &Parameter::timed); }

}  // namespace lab
