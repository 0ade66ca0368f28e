// Anybody's kernel: one file that defines one rung, compiled and loaded while the program runs.
#pragma once

#include <string>

#include "kernels/ladder.hpp"

namespace runner {

/// The rung that a .cu file defines, as the files in src/kernels do: a variable of type ladder::Rung, declared
/// `extern const`. The file is compiled by what compiled the ladder (clang and the simulator's headers, or nvcc),
/// alone, with src/ on the include path. Its code stays loaded until the program ends.
///
/// Throws Error(ExitCode::usage) with the compiler's words if it does not compile, and with what is missing if it
/// defines no rung, or several, or one that cannot be run.
const ladder::Rung& load_kernel_file(const std::string& path);

}  // namespace runner
