#include "workshop/judge/outcome.hpp"

#include <array>
#include <utility>

namespace workshop {
namespace {

constexpr std::array NAMES{
    std::pair{Ending::right, "right"},
    std::pair{Ending::does_not_compile, "does_not_compile"},
    std::pair{Ending::not_its_own, "not_its_own"},
    std::pair{Ending::crashed, "crashed"},
    std::pair{Ending::never_ends, "never_ends"},
    std::pair{Ending::wrong_function, "wrong_function"},
    std::pair{Ending::fault, "fault"},
    std::pair{Ending::wrong_result, "wrong_result"},
    std::pair{Ending::hazard, "hazard"},
    std::pair{Ending::broken_contract, "broken_contract"},
    std::pair{Ending::broken_promise, "broken_promise"},
};

}  // namespace

const char* name_of(Ending ending) {
  for (const auto& [value, name] : NAMES) {
    if (value == ending) return name;
  }
  return "";
}

std::optional<Ending> ending_named(const std::string& name) {
  for (const auto& [value, known] : NAMES) {
    if (name == known) return value;
  }
  return std::nullopt;
}

std::vector<std::string> ending_names() {
  std::vector<std::string> names;
  for (const auto& [ending, name] : NAMES) names.emplace_back(name);
  return names;
}

std::string at_size(const results::CheckedClaim& claim) {
  return claim.size.empty() ? "" : " at " + claim.size;
}

}  // namespace workshop
