// Copies of cp.async between the instruction and the wait. Part of a level: see level.hpp.
//
// A device writes the bytes some time before the wait that covers them returns. Here they land at this wait, as
// late as possible. So a program that does not wait reads the old bytes.
#pragma once

#include <cstdint>

#include "simulator/execute/level/lanes.hpp"

BEGIN_LEVEL

/// Returns a new entry at the end of `w.copies` for one cp.async of the warp. It has no lanes yet.
PendingCopy& begin_copy(Warp& w);

/// Lands the copies of these lanes up to the warp's copy of this number, committed or not.
void land_copies_up_to(Warp& w, uint64_t number, uint32_t lanes);

/// Lands all copies of these lanes, committed or not.
void land_all_copies(Warp& w, uint32_t lanes);

/// cp.async.commit_group: makes a group of the active lanes' copies since the last commit.
void commit_copies(Warp& w, const Op& op);
/// cp.async.wait_group: lands all groups of the active lanes but the last Op::extra ones.
void await_copies(Warp& w, const Op& op);
/// cp.async.wait_all: lands all copies of the active lanes.
void await_all_copies(Warp& w, const Op& op);

END_LEVEL
