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

/// Breaks a text at spaces so that no line takes more than `width` columns, as far as its words allow; lines
/// after the first start with `indent` spaces. No limit where width is 0. Ends as the text ends.
std::string wrap(std::string_view text, int width, int indent);

}  // namespace runner
