// The abilities of the reader's terminal: width, colour, UTF-8.
#pragma once

#include "text/page.hpp"

namespace runner {

enum class When { automatic, always, never };

/// How to write to stdout: COLUMNS or the terminal's width (no limit for a file or a pipe), colour unless
/// NO_COLOR is set, TERM is "dumb" or stdout is no terminal, the locale of the environment.
text::Page stdout_page(When color);

}  // namespace runner
