// Who watches the calls of host code for what is wrong in it. What they see becomes a hazard, with its line of host code.
#pragma once

#include "simulator/runtime/api/events.hpp"

namespace simulator::runtime {

/// Accesses of host code to memory that it may not touch: see host_races.cpp.
Watcher& host_races();
/// Calls that were refused.
Watcher& refused_calls();
/// A failure that no call told the program, or that it never asked for.
Watcher& never_asked();
/// What the program has not freed when it ends.
Watcher& never_freed();

}  // namespace simulator::runtime
