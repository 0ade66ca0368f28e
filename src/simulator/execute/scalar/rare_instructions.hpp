// Instructions that compilers seldom write and people write by hand: bit fields, carries, products of bytes,
// permutations, saturation, and the tests and modifiers of floating point.
#pragma once

#include <string>
#include <vector>

#include "simulator/decode/instruction_set.hpp"

namespace simulator {

/// Returns the instruction with this opcode, or one with execute == nullptr if it is none of these. They are
/// computed one lane at a time.
Arithmetic find_rare(const std::vector<std::string>& opcode);

}  // namespace simulator
