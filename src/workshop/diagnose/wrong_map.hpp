// Draws a small map of the wrong elements of C.
#pragma once

#include <string>

#include "text/page.hpp"
#include "workshop/diagnose/evidence.hpp"

namespace workshop {

/// Returns at most 16 x 16 characters with row and column numbers, and the wrong rows and columns in words. If the
/// wrong elements repeat with the block's tile, the map shows the tile; otherwise all of C. Empty if nothing or
/// everything is wrong.
std::string wrong_map(const ExaminedProduct& facts, const text::Page& page);

}  // namespace workshop
