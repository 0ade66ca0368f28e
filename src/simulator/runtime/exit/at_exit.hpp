// What the things that a program's environment asks for at its exit have in common.
#pragma once

#include <string>
#include <string_view>

#include "text/page.hpp"

namespace simulator::runtime {

/// Does work that was registered with std::atexit: no exception leaves it, and no signal of a full disk ends it.
void at_exit(void (*work)());

/// What stderr can show. As wide as COLUMNS says, or else the terminal, or else 80. Leaves the program's locale alone.
text::Page stderr_page();

/// Where the file lies however the program changes its folder.
std::string absolute_path(std::string_view name);

/// Writes the file: it is whole or, if that fails, as it was. 0, or errno's word on what went wrong.
int replace_file(const std::string& name, std::string_view text);

}  // namespace simulator::runtime
