// Calls of device functions, folded into their callers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "simulator/ptx/ptx.hpp"

namespace simulator {

/// What the kernel's body has beyond PTX where calls are left in it. The names cannot be anybody's.
/// A function that is called begins at the label of its name behind this.
constexpr std::string_view FUNCTION_LABEL = "@function ";
/// Registers that caller and callee share begin so; a call leaves all others as they are.
constexpr std::string_view CALL_REGISTER = "@call.";
/// A symbol for the bytes of local memory by which a call moves on.
constexpr const char* FRAME_BYTES = "@frame_bytes";

/// What a pointer to the function of that name holds; nothing if there is none, or it is a kernel.
std::optional<uint64_t> function_address(const ptx::Module& module, std::string_view name);

/// The kernel with calls replaced by the called function's body, so that divergence within a function
/// is divergence within the kernel. Calls of vprintf and __assertfail become instructions of those names.
/// Calls of recursive functions and calls through pointers stay calls: the functions that they may reach follow
/// behind the kernel's own body, each once.
ptx::Function inline_calls(const ptx::Function& kernel, const ptx::Module& module);

}  // namespace simulator
