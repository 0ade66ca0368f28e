// Inlining of calls of device functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "simulator/ptx/ptx.hpp"

namespace simulator {

/// Names that the kernel's body has beyond PTX, if calls are left in it. No PTX program can use them.
/// A called function begins at this label, followed by its name.
constexpr std::string_view FUNCTION_LABEL = "@function ";
/// The prefix of registers that caller and callee share. A call preserves all other registers.
constexpr std::string_view CALL_REGISTER = "@call.";
/// A symbol for the bytes of local memory by which a call moves the frame.
constexpr const char* FRAME_BYTES = "@frame_bytes";

/// Returns the value of a pointer to the function of this name; nothing if there is none, or if it is a kernel.
std::optional<uint64_t> function_address(const ptx::Module& module, std::string_view name);

/// Returns the kernel with each call replaced by the called function's body, so that divergence within a function
/// is divergence within the kernel. Calls of vprintf and __assertfail become instructions of these names. Calls
/// of recursive functions and calls through pointers stay calls. The functions that they may reach follow the
/// kernel's own body, each once.
ptx::Function inline_calls(const ptx::Function& kernel, const ptx::Module& module);

}  // namespace simulator
