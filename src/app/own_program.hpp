// Where the program that runs lies.
#pragma once

#include <filesystem>

namespace runner {

/// The file of the program that runs. The project's other programs lie beside it.
std::filesystem::path own_program();

}  // namespace runner
