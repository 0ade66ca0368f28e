// mbarriers, and the bulk copies that they count. Part of a level: see level.hpp.
//
// Everything happens as late as a device may do it. A copy to shared memory lands when a wait for its mbarrier needs it, so
// a program that does not wait reads the old bytes. A copy from shared memory reads its source at the wait for its group.
#pragma once

#include <cstddef>
#include <string_view>

#include "simulator/decode/instruction_set.hpp"
#include "simulator/execute/level/lanes.hpp"

BEGIN_LEVEL

/// Returns an instruction on mbarriers, or nullptr if it is outside the subset.
Execute find_mbarrier_instruction(const MbarrierShape& shape);

/// cp.async.bulk from global to shared memory: see InstructionSet.
void bulk_load(Warp& w, const Op& op);
/// cp.async.bulk from shared to global memory.
void bulk_store(Warp& w, const Op& op);
/// Returns cp.reduce.async.bulk from shared to global memory: see InstructionSet.
Execute find_bulk_reduction(std::string_view type, Operation operation);
/// cp.async.bulk from shared memory to the shared memory of a block of the cluster.
void copy_to_block(Warp& w, const Op& op);
/// Returns st.async, or red.async with this operation, of elements of this type. Returns nullptr if it is outside the subset.
Execute find_remote_store(std::string_view type, size_t count, Operation operation);
/// cp.async.bulk.tensor from global to shared memory: see InstructionSet.
void tensor_load(Warp& w, const Op& op);
/// cp.async.bulk.tensor from shared to global memory.
void tensor_store(Warp& w, const Op& op);
void commit_bulk_stores(Warp& w, const Op& op);
void await_bulk_stores(Warp& w, const Op& op);
void await_bulk_reads(Warp& w, const Op& op);

/// Ends the bulk copies of lanes that exit. Their deferred arrivals happen.
void end_bulk_copies(Warp& w, uint32_t lanes);

/// Returns the facts of the phase under way of the mbarrier at this offset in shared memory.
Fault::Phase phase_at(const Warp& w, uint64_t mbarrier);

END_LEVEL
