// Arithmetic with directed rounding: add.rz.f32, cvt.rp.f32.f64 and similar.
#pragma once

#include <string>
#include <vector>

#include "simulator/decode/instruction_set.hpp"

namespace simulator {

/// Returns the instruction with this opcode, if it rounds its floating-point result towards zero (.rz), down
/// (.rm) or up (.rp). Otherwise returns one with execute == nullptr.
Arithmetic find_directed_rounding(const std::vector<std::string>& opcode);

}  // namespace simulator
