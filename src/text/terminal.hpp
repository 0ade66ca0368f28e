// The abilities of the display on which a stream is read: width, colour, UTF-8.
#pragma once

#include "text/page.hpp"

namespace text {

/// Returns the page of a stream, by its file descriptor. Its width is COLUMNS, or else the terminal's width; 0, for no limit, if
/// both are unknown. It is coloured on a terminal, unless NO_COLOR is set or TERM is "dumb". It has UTF-8 if the
/// environment's locale has it. The program's own locale stays as it is.
Page page_of_stream(int descriptor);

}  // namespace text
