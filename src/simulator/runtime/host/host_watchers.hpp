// Watchers that look for errors in host code's calls. Each finding becomes a hazard with its line of host code.
#pragma once

#include "simulator/runtime/api/events.hpp"

namespace simulator::runtime {

/// Keeps the call sites of queued operations for the others: see site_here().
Watcher& call_sites();
/// Finds accesses of host code to memory that it may not touch: see host_races.cpp.
Watcher& host_races();
/// Records operations of different streams that use the same memory, and that nothing orders.
Watcher& stream_races();
/// Records refused calls.
Watcher& refused_calls();
/// Finds a failure that no call returned to the program, or that the program never asked for.
Watcher& never_asked();
/// Finds memory that the program has not freed when it ends.
Watcher& never_freed();

}  // namespace simulator::runtime
