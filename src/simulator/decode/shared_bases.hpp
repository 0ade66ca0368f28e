// Which of a kernel's __shared__ variables an address derives from.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "simulator/ptx/ptx.hpp"

namespace simulator {

/// The registers that hold an address within one variable, whatever is added to it, and which one: a number that
/// `variables` gives to each symbol. A register that may hold addresses of two of them, or one that was read from
/// memory, is in none. It is one answer for the whole function, wherever in it the register is used.
std::map<std::string, int32_t> find_shared_bases(const ptx::Function& function,
                                                 const std::map<std::string, int32_t>& variables);

}  // namespace simulator
