// The instructions that compute: from an opcode to the function that carries it out on a warp. Part of a
// level: see level.hpp.
#pragma once

#include <string>
#include <vector>

#include "simulator/execute/level/lanes.hpp"

BEGIN_LEVEL

/// The instruction with this opcode, or one with execute == nullptr if it is outside the subset.
/// Rounding is as the opcode says, by default to nearest even; subnormals are kept; the .approx functions are computed in double precision
/// and rounded, which is closer to the true value than a device's.
Arithmetic find_arithmetic(const std::vector<std::string>& opcode);

END_LEVEL
