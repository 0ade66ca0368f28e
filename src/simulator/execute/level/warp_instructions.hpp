// Instructions that look beyond one lane (shuffles, votes), read a thread's position, or pack registers, and the
// wrappers around any instruction. Part of a level: see level.hpp.
#pragma once

#include <string>
#include <vector>

#include "simulator/execute/level/lanes.hpp"

BEGIN_LEVEL

/// The functions that InstructionSet points to.
WarpInstruction find_warp_instruction(const std::vector<std::string>& opcode);
Execute find_special_register(const std::string& name, bool wide, int32_t& extra);
Execute find_pack(bool unpack, bool wide, size_t parts);

void do_nothing(Warp& w, const Op& op);
void execute_fence(Warp& w, const Op& op);
[[noreturn]] void execute_unknown(Warp& w, const Op& op);
void execute_guarded(Warp& w, const Op& op);
void execute_polling(Warp& w, const Op& op);

END_LEVEL
