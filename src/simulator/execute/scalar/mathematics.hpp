// The mathematical functions of device code, each as one instruction. <math_functions.h> declares them without a
// body, with a prefix in their name. They are executed here one lane at a time, with the host's libm.
#pragma once

#include <string_view>

#include "simulator/decode/instruction_set.hpp"

namespace simulator {

/// Returns the instruction of this name, or one with execute == nullptr if there is none.
/// Single precision is computed in double, and double in long double or wider, then rounded once. The result is
/// commonly the nearest number, and always within the bound that CUDA documents.
Arithmetic find_mathematics(std::string_view name);

}  // namespace simulator
