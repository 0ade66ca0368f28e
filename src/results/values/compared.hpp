// The result of comparing a row with its partner in another run, or on another GPU: compare/comparison.hpp, compare/acceptance.hpp.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace results {

enum class Change {
  same,
  faster,
  slower,
  unsure,   // not enough data
  changed,  // its counters, path or launches differ; these have no noise
  wrong,    // the row is wrong now
};

/// Returns "SLOWER", as in tables and JSON.
const char* name_of(Change change);
/// Returns nothing if there is no such name.
std::optional<Change> change_named(std::string_view name);

/// A row's comparison with its partner: the same kernel, problem and options in the other run.
struct Compared {
  Change verdict = Change::unsure;
  std::vector<std::string> reasons{};  // for people, each a clause
  /// For a timed row: the quartiles, in the other run, of the ratio to the reference in per cent.
  std::optional<std::array<double, 3>> base_percent{};
  std::optional<double> base_ms{};            // the other run's median time
  std::optional<double> change_percent{};     // of the median ratio; below 0 is slower
  std::optional<double> threshold_percent{};  // the least difference of the medians that counts
  std::optional<double> p_value{};            // of the Mann-Whitney U test on the ratios, two-sided
  bool operator==(const Compared&) const = default;
};

}  // namespace results
