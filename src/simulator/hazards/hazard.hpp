// A hazard: what a program does that may give a right result today and a wrong one tomorrow.
#pragma once

#include <cstdint>
#include <string>

#include "simulator/fault.hpp"
#include "simulator/message.hpp"

namespace simulator {

enum class HazardKind {
  race,               // accesses of two threads to the same bytes in no order, one of them a write
  host_race,          // the same between a kernel and host code
  unwritten_read,     // of bytes that nobody wrote
  early_use,          // of what cp.async still copies
  absent_lane,        // a shuffle that reads a lane which takes no part
  false_mask,         // a mask of lanes that is not true
  forbidden_barrier,  // that a device ends and the programming guide forbids
  beyond_array,       // past one shared array, into what lies behind it
  refused_call,       // of the API, for what the program made wrong
  never_freed,        // memory, at the end of the program
  never_asked,        // an error, by the end of the program
};

/// "race", "unwritten read": the kind as results have it.
const char* name_of(HazardKind kind);

/// Found once or many times: `message` is of the first.
struct Hazard {
  HazardKind kind{};
  std::string kernel;  // demangled; empty where host code alone is concerned
  SourceLine where;    // the user's line
  SourceLine other;    // the second of the pair, if there is one
  std::string
      code;  // instructions concerned, for code without lines; also tells apart what shares a line
  Message message;
  uint64_t times = 1;

  /// True of what is said once: the same kind in the same kernel on the same pair of lines.
  bool is_same(const Hazard& hazard) const;
};

}  // namespace simulator
