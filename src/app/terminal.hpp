// The abilities of the reader's terminal: width, colour, UTF-8.
#pragma once

#include "text/page.hpp"

namespace runner {

enum class When { automatic, always, never };

/// Returns the page of stdout. Its width is COLUMNS or the terminal's (no limit for a file or a pipe). It has colour
/// unless NO_COLOR is set, TERM is "dumb" or stdout is no terminal. Its characters are the characters of the
/// environment's locale.
text::Page stdout_page(When color);

}  // namespace runner
