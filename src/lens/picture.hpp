// Draws a warp's request as text: the lanes, and the bytes that they touch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lens/request.hpp"
#include "text/page.hpp"

namespace lens {

/// Draws the requests one after the other. Each has its origin, its lanes, the 128-byte lines that they touch, and its price in
/// words. A character stands for a word of 4 bytes, eight for a sector (filled: used; hollow: fetched in vain; blank: not
/// fetched). In shared memory the 32 banks are drawn, with the words that collide. A gap between lines is marked. Fits into 60
/// columns, and uses more if the page has them. Ends in a newline.
std::string picture(const std::vector<Request>& steps, const text::Page& page);

/// Draws a row-major matrix as one line of memory, with the elements that the lanes touch: they slide along a row or leap
/// down a column. The request's buffer is the matrix; its rows have `leading_dimension` elements (at least 1). Ends in a
/// newline.
std::string ribbon(const Request& request, int64_t leading_dimension, const text::Page& page);

}  // namespace lens
