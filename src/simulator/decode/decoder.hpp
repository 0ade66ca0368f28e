// From PTX to a program.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "simulator/decode/instruction_set.hpp"
#include "simulator/decode/program.hpp"
#include "simulator/ptx/ptx.hpp"

namespace simulator {

/// Where a module's variables lie: a device address.
using VariableAddresses = std::map<std::string, uint64_t, std::less<>>;

/// Decodes one kernel for those who execute `instructions`. The module's other functions are for its calls,
/// which are inlined where they can be. Throws Unreadable for a kernel whose PTX makes no sense, such as a branch to no label,
/// or that calls a function whose body cannot be read.
std::unique_ptr<Program> decode(const ptx::Function& kernel, const ptx::Module& module,
                                const VariableAddresses& variables,
                                const InstructionSet& instructions);

}  // namespace simulator
