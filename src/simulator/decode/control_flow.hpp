// Basic blocks of a PTX function, and the blocks at which diverged lanes reconverge.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "simulator/decode/program.hpp"
#include "simulator/ptx/ptx.hpp"

namespace simulator {

/// Instructions [first, last) of Function::body. With has_terminator, the last one leaves the block.
struct FlowBlock {
  size_t first = 0, last = 0;
  bool has_terminator = false;
  bool gathers = false;  // True if the first instruction waits for other lanes of the warp
  Leave leave = Leave::next;
  uint32_t taken = 0;
  std::vector<uint32_t> targets;
  std::vector<uint32_t> successors;    // without the end of the kernel
  uint32_t reconverge = Program::END;  // the immediate post-dominator
};

struct ControlFlow {
  std::vector<FlowBlock> blocks;
  // Functions that are called, not inlined -> first block.
  std::map<std::string, uint32_t> functions;
};

/// Returns the function's control flow. Throws std::runtime_error for a branch to a label that does not exist.
ControlFlow find_control_flow(const ptx::Function& function);

}  // namespace simulator
