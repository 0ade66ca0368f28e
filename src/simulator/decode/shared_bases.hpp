// The __shared__ variable that an address derives from.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "simulator/ptx/ptx.hpp"

namespace simulator {

/// Returns the registers that hold an address within one variable, plus any offset, and the variable's number in
/// `variables`. A register that may hold addresses of two variables, or a value read from memory, is left out.
/// There is one answer for the whole function.
std::map<std::string, int32_t> find_shared_bases(const ptx::Function& function,
                                                 const std::map<std::string, int32_t>& variables);

}  // namespace simulator
