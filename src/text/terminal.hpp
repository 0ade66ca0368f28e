// The display of a stream's reader.
#pragma once

#include "text/page.hpp"

namespace text {

/// The page of a stream, by its file descriptor. As wide as COLUMNS says, or else the terminal; 0 for no limit where neither
/// says so. Coloured on a terminal, unless NO_COLOR is set or TERM is "dumb". UTF-8 where the environment's locale has it;
/// the program's own locale is left alone.
Page page_of_stream(int descriptor);

}  // namespace text
