// Conversions to and from the formats of machine learning: TF32, and FP16 and BF16 with their pairs.
#pragma once

#include <string>
#include <vector>

#include "simulator/decode/instruction_set.hpp"

namespace simulator {

/// Returns the cvt with this opcode, if it converts to TF32. Otherwise returns one with execute == nullptr.
Arithmetic find_tf32_conversion(const std::vector<std::string>& opcode);

}  // namespace simulator
