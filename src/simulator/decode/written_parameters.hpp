// The parameters through which a kernel writes to global memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/decode/program.hpp"
#include "simulator/ptx/ptx.hpp"

namespace simulator {

/// Returns the places, in bytes from the start of the kernel's parameters, of the 8-byte values from which it computes the addresses that
/// it writes: pointers, and numbers that go into an index. Returns nothing if an address may come from elsewhere, such as from memory.
/// `parameters` are those of the function, in its order.
std::optional<std::vector<uint64_t>> find_written_parameters(
    const ptx::Function& function, const std::vector<ParameterInfo>& parameters);

}  // namespace simulator
