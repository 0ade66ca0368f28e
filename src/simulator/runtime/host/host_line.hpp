// Which line of host code made a call.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

#include "simulator/fault.hpp"

namespace simulator::runtime {

/// Where a call came from: return addresses of the calling thread, the innermost first, zeros behind the last. Costs
/// a few microseconds; equal for calls from the same place.
struct CallSite {
  std::array<uint64_t, 16> frames{};
  auto operator<=>(const CallSite&) const = default;

  static CallSite here();
  /// A word that is the same for equal ones only.
  std::string id() const;
};

/// A line of the program's own host code.
struct HostLine {
  SourceLine where;
  std::string function;  // "main", without parameters

  bool known() const { return !where.file.empty(); }
  /// "scale.cu:12 in main"; empty if it is not known.
  std::string text() const;
};

/// The innermost frame that is the program's and has a line: none of the simulator's, and in no header of its
/// or of an installed library. Runs
/// llvm-symbolizer-19, or what SIMCC_SYMBOLIZER names, which takes some hundredths of a second for each place that was
/// not asked for before. Where the line cannot be told (no such tool, no lines in the program) it is not known, and
/// nothing else happens.
HostLine line_of(const CallSite& site);

}  // namespace simulator::runtime
