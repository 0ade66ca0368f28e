// The line of host code that made a call.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

#include "simulator/fault.hpp"

namespace simulator::runtime {

/// The origin of a call: return addresses of the calling thread, innermost first, followed by zeros. Costs a few
/// microseconds. Equal for calls from the same place.
struct CallSite {
  std::array<uint64_t, 16> frames{};
  auto operator<=>(const CallSite&) const = default;

  static CallSite here();
  /// Returns a word that is equal for equal call sites only.
  std::string id() const;
};

/// Returns the origin of the operation that the calling thread runs, or else of its call.
CallSite site_here();
/// Returns the origin of a queued operation. All zeros if it is not known.
CallSite site_of_operation(uint64_t number);

/// A line of the program's own host code.
struct HostLine {
  SourceLine where;
  std::string function;  // "main", without parameters

  bool known() const { return !where.file.empty(); }
  /// Returns "scale.cu:12 in main", or empty if the line is not known.
  std::string text() const;
};

/// Returns the innermost frame of the program's own code that has a line: not the simulator's, and not in a
/// header of the simulator or of an installed library. Runs llvm-symbolizer, or the tool named by
/// SIMCC_SYMBOLIZER, which takes some hundredths of a second for each new place. Without such a tool, or without
/// lines in the program, the line is not known, and nothing else happens.
HostLine line_of(const CallSite& site);

}  // namespace simulator::runtime
