// Common parts of the actions at a program's exit that its environment asks for.
#pragma once

#include <string>
#include <string_view>

#include "text/page.hpp"

namespace simulator::runtime {

/// Runs work registered with std::atexit. Reports std::bad_alloc on stderr, and ignores SIGXFSZ, the signal of a
/// file that grows beyond its limit.
void at_exit(void (*work)());

/// Returns the page that stderr can show. Its width is COLUMNS, or the terminal's, or 80. Does not change the
/// program's locale.
text::Page stderr_page();

/// Returns the file's absolute path, valid even if the program changes its folder.
std::string absolute_path(std::string_view name);

/// Writes the file completely, or leaves it unchanged if that fails. Returns 0 or the errno of the failure.
int replace_file(const std::string& name, std::string_view text);

}  // namespace simulator::runtime
