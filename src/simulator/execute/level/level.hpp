// One source for several instruction sets of the host.
//
// The code that executes warps is compiled once for each level below, in its own namespace. The program picks the
// processor's widest level at its start, so one build runs on every laptop. Only functions between BEGIN_LEVEL
// and END_LEVEL may use a level's instructions. All headers come before BEGIN_LEVEL, so that their inline
// functions stay plain: the linker keeps one copy of such a function, from any of the files.
//
// (A library for this, such as Highway, would bring its own vector types. The compiler's vector types serve here
// for 32 lanes of any width, on every processor that the compiler knows.)
#pragma once

#include <memory>

#include "simulator/decode/instruction_set.hpp"
#include "simulator/execute/state/block.hpp"

// The build defines SIMULATOR_LEVEL and, if a level needs it, SIMULATOR_TARGET.
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
  /// Returns a runner of blocks, or of clusters if the launch has them, for one host thread.
  std::unique_ptr<Block> (*make_block)(const Program& program, Worker& worker,
                                       const LaunchShape& shape, const std::byte* parameters);
};

/// Returns the processor's widest level, or SIMULATOR_LEVEL's if the processor has it.
const Level& level();

}  // namespace simulator
