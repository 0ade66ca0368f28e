// One source, several instruction sets of the host.
//
// What executes warps is compiled once for each level below, in a namespace of its own, and the widest that
// the processor has is picked when the program starts: one build runs on every laptop. Only functions between
// BEGIN_LEVEL and END_LEVEL may use a level's instructions. All headers come before, so that what they define
// inline stays plain: the linker keeps one copy of such a function, whichever file it comes from.
//
// (A library made for this, such as Highway, would bring its own vector types; the compiler's serve here for
// 32 lanes of any width, on every processor that it knows.)
#pragma once

#include <memory>

#include "simulator/decode/instruction_set.hpp"
#include "simulator/execute/state/block.hpp"

// SIMULATOR_LEVEL and, where there is something to ask for, SIMULATOR_TARGET come from the build.
#define SIMULATOR_PRAGMA(text) _Pragma(#text)
#if defined(SIMULATOR_TARGET)
#define SIMULATOR_TARGET_PRAGMA(name) \
  SIMULATOR_PRAGMA(clang attribute push(__attribute__((target(name))), apply_to = function))
#define BEGIN_LEVEL                         \
  SIMULATOR_TARGET_PRAGMA(SIMULATOR_TARGET) \
  namespace simulator::SIMULATOR_LEVEL {
#define END_LEVEL \
  }               \
  SIMULATOR_PRAGMA(clang attribute pop)
#else
#define BEGIN_LEVEL namespace simulator::SIMULATOR_LEVEL {
#define END_LEVEL }
#endif

namespace simulator {

struct Level {
  const char* name;  // "x86-64-v3"
  const InstructionSet* instructions;
  /// A runner of blocks for one host thread.
  std::unique_ptr<Block> (*make_block)(const Program& program, Worker& worker,
                                       const LaunchShape& shape, const std::byte* parameters);
};

/// The widest level that this processor has, or what SIMULATOR_LEVEL asks for if the processor has it.
const Level& level();

}  // namespace simulator
