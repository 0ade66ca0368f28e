// The list of labs.
#include <array>

#include "labs/lab.hpp"

// THE list, in the order in which they are best taken. Runner and tests iterate it.
// clang-format off
#define LABS(LAB)  \
  LAB(numbering)   \
  LAB(copy_stride) \
  LAB(copy_width)  \
  LAB(copy_offset) \
  LAB(vector_add)  \
  LAB(mappings)    \
  LAB(embedding)   \
  LAB(structures)  \
  LAB(gather)      \
  LAB(transpose)   \
  LAB(banks)       \
  LAB(mystery)
// clang-format on

namespace lab {

#define LABS_DECLARE(lab) extern const Lab lab;  // NOLINT(bugprone-macro-parentheses)
// A lab is called as its file is. NOLINTNEXTLINE(readability-identifier-naming)
LABS(LABS_DECLARE)
#undef LABS_DECLARE

std::span<const Lab* const> all() {
#define LABS_ADDRESS(lab) &lab,  // NOLINT(bugprone-macro-parentheses)
  static constexpr std::array LIST{LABS(LABS_ADDRESS)};
#undef LABS_ADDRESS
  return LIST;
}

namespace {

Sizes sizes_of(const Lab& of, int64_t Parameter::* value) {
  std::vector<std::pair<std::string, int64_t>> sizes;
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
