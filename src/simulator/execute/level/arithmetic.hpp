// The instructions that compute: from an opcode to the function that executes it on a warp. Part of a level: see
// level.hpp.
#pragma once

#include <string>
#include <vector>

#include "simulator/execute/level/lanes.hpp"

BEGIN_LEVEL

/// Returns the instruction with this opcode, or one with execute == nullptr if it is outside the subset. Rounding
/// follows the opcode; the default is to nearest even. Subnormals are kept. The .approx functions are computed in
/// double precision and rounded, which is closer to the true value than a device's result.
Arithmetic find_arithmetic(const std::vector<std::string>& opcode);

END_LEVEL
