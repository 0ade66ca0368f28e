#include "app/own_program.hpp"

namespace runner {

std::filesystem::path own_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

}  // namespace runner
