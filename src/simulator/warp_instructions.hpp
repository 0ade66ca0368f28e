// Instructions that look beyond one lane (shuffles, votes), read where a thread stands, or pack registers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/arithmetic.hpp"
#include "simulator/warp.hpp"

namespace simulator {

struct WarpInstruction {
  Execute execute = nullptr;
  InstructionKind kind = InstructionKind::warp;
  std::vector<std::string_view> operands;  // the result first, where there is one
  int32_t extra = 0;
};

/// shfl, vote, activemask, redux, match, bar.warp, fences, trap, and the calls that the device itself answers.
WarpInstruction find_warp_instruction(const std::vector<std::string>& opcode);

/// mov from %tid.x and its like; `extra` says which one.
Execute find_special_register(const std::string& name, bool wide, int32_t& extra);

/// mov between one register and a list of its parts. `unpack`: from the register to the parts.
Execute find_pack(bool unpack, bool wide, size_t parts);

}  // namespace simulator
