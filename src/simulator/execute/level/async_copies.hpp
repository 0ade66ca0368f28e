// cp.async between the instruction and the wait: its bytes are on their way. Part of a level: see level.hpp.
//
// A device writes them some time before the wait that covers them returns. Here they land at that very wait, as
// late as they may, so that a program which does not wait reads what was there before.
#pragma once

#include <cstdint>

#include "simulator/execute/level/lanes.hpp"

BEGIN_LEVEL

/// Room at the end of `w.copies` for what one cp.async of the warp brings. Its lanes are none as yet.
PendingCopy& begin_copy(Warp& w);

/// All copies of these lanes land, committed or not.
void land_all_copies(Warp& w, uint32_t lanes);

/// cp.async.commit_group: what the active lanes have asked for since the last one is a group.
void commit_copies(Warp& w, const Op& op);
/// cp.async.wait_group: all groups of the active lanes land but the last ones, as many as Op::extra says.
void await_copies(Warp& w, const Op& op);
/// cp.async.wait_all
void await_all_copies(Warp& w, const Op& op);

END_LEVEL
