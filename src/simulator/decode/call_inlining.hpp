// Calls of device functions, folded into their callers.
#pragma once

#include "simulator/ptx/ptx.hpp"

namespace simulator {

/// The kernel with every call replaced by the called function's body, so that divergence within a function
/// is divergence within the kernel. Calls of vprintf and __assertfail become instructions of those names. A
/// recursive call and a call through a pointer stay as they are and fault when they are reached.
ptx::Function inline_calls(const ptx::Function& kernel, const ptx::Module& module);

}  // namespace simulator
