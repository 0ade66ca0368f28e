// A small picture of where the wrong elements of C lie.
#pragma once

#include <string>

#include "text/page.hpp"
#include "workshop/diagnose/evidence.hpp"

namespace workshop {

/// At most 16 x 16 signs with row and column numbers on the margins, and beside them in words which rows and which columns.
/// One sign stands for some elements of the block's tile where the wrong elements repeat with it, otherwise of all of C.
/// Empty where nothing is wrong, and where everything is.
std::string wrong_map(const ExaminedProduct& facts, const text::Page& page);

}  // namespace workshop
