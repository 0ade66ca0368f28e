// The decoder: from PTX to a program.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "simulator/decode/instruction_set.hpp"
#include "simulator/decode/program.hpp"
#include "simulator/ptx/ptx.hpp"

namespace simulator {

/// The device addresses of a module's variables.
using VariableAddresses = std::map<std::string, uint64_t, std::less<>>;

/// Decodes one kernel for a level that executes `instructions`. The module's other functions serve the kernel's
/// calls, which are inlined if possible. Throws Unreadable if the kernel's PTX makes no sense, such as a branch
/// to no label, or if it calls a function whose body cannot be read.
std::unique_ptr<Program> decode(const ptx::Function& kernel, const ptx::Module& module,
                                const VariableAddresses& variables,
                                const InstructionSet& instructions);

}  // namespace simulator
