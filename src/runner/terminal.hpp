// What the reader's terminal can show.
#pragma once

#include <string>
#include <string_view>

#include "runner/command_line.hpp"

namespace runner {

struct Terminal {
  bool color = false;
  bool unicode = false;  // the locale's encoding is UTF-8
  int width = 0;         // columns; 0 for no limit
};

/// How to write to stdout: COLUMNS or the terminal's width (no limit for a file or a pipe), colour unless
/// NO_COLOR is set, TERM is "dumb" or stdout is no terminal, the locale of the environment.
Terminal stdout_terminal(When color);

/// Columns that a UTF-8 text takes, one for each code point.
int display_width(std::string_view text);

}  // namespace runner
