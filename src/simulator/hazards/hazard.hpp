// A hazard: a defect of a program that may give a right result today and a wrong one tomorrow.
#pragma once

#include <cstdint>
#include <string>

#include "simulator/fault.hpp"
#include "simulator/message.hpp"

namespace simulator {

enum class HazardKind {
  race,              // unordered accesses of two threads to the same bytes, one of them a write
  host_race,         // the same between a kernel and host code
  stream_race,       // the same between two operations of different streams
  unwritten_read,    // a read of bytes that were never written
  early_use,         // a use of bytes that cp.async still copies
  unawaited_copy,    // a bulk copy that is under way when its block ends
  misused_mbarrier,  // a wait for a state that no arrival at an mbarrier returned
  missing_fence,     // bulk copies or wgmma use data of threads that no fence has handed over
  split_warpgroup,   // the warps of a warpgroup do not execute the same wgmma
  ended_block,       // an access to the shared memory of a block of the cluster that may have ended
  absent_lane,       // a shuffle that reads a lane which takes no part
  false_mask,        // a mask that does not match the lanes
  forbidden_barrier,  // a barrier that a device passes and the programming guide forbids
  beyond_array,       // an access past a shared array, into the memory behind it
  refused_call,       // an API call refused for an error of the program
  never_freed,        // memory not freed at the end of the program
  never_asked,        // an error not asked for by the end of the program
};

/// Returns the kind's name in results: "race", "unwritten read".
const char* name_of(HazardKind kind);

/// A hazard, found once or many times. `message` describes the first.
struct Hazard {
  HazardKind kind{};
  std::string kernel;  // demangled; empty if only host code is concerned
  SourceLine where;    // the user's line
  SourceLine other;    // the second of the pair, if there is one
  std::string code;    // the instructions, for code without lines or several on one line
  Message message;
  uint64_t times = 1;

  /// True if both are reported as one: the same kind in the same kernel on the same pair of lines.
  bool is_same(const Hazard& hazard) const;
};

}  // namespace simulator
