// Basic blocks of a PTX function, and where lanes that part meet again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "simulator/decode/program.hpp"
#include "simulator/ptx/ptx.hpp"

namespace simulator {

/// Instructions [first, last) of Function::body; with has_terminator, the last one leaves the block.
struct FlowBlock {
  size_t first = 0, last = 0;
  bool has_terminator = false;
  bool gathers = false;  // the first instruction waits for other lanes of the warp
  Leave leave = Leave::next;
  uint32_t taken = 0;
  std::vector<uint32_t> targets;
  std::vector<uint32_t> successors;    // without the end of the kernel
  uint32_t reconverge = Program::END;  // the immediate post-dominator
};

struct ControlFlow {
  std::vector<FlowBlock> blocks;
  std::map<std::string, uint32_t> functions;  // that are called, not folded in -> first block
};

/// Throws std::runtime_error for a branch to a label that does not exist.
ControlFlow find_control_flow(const ptx::Function& function);

}  // namespace simulator
