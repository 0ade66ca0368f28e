// The mathematical functions of device code, each one instruction: what <math_functions.h> declares without
// a body under a name with the prefix is executed here, a lane at a time, with the host's libm.
#pragma once

#include <string_view>

#include "simulator/decode/instruction_set.hpp"

namespace simulator {

/// The instruction of this name, or one with execute == nullptr if there is none.
/// Single precision is computed in double, and double in long double or wider, then rounded once: commonly
/// the nearest number, and always within the bound that CUDA documents.
Arithmetic find_mathematics(std::string_view name);

}  // namespace simulator
