// Arithmetic that rounds another way than to nearest: add.rz.f32, cvt.rp.f32.f64 and their kind.
#pragma once

#include <string>
#include <vector>

#include "simulator/decode/instruction_set.hpp"

namespace simulator {

/// The instruction with this opcode, if it rounds its floating-point result towards zero (.rz), down (.rm) or
/// up (.rp); otherwise one with execute == nullptr.
Arithmetic find_directed_rounding(const std::vector<std::string>& opcode);

}  // namespace simulator
