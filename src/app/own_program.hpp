// The path of the running program.
#pragma once

#include <filesystem>

namespace runner {

/// Returns the running program's own file. The project's other programs are in the same folder.
std::filesystem::path own_program();

}  // namespace runner
