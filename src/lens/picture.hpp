// A warp's request as a picture of text: the lanes, and the bytes that they touch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lens/request.hpp"
#include "text/page.hpp"

namespace lens {

/// The requests one after the other. Of each: who asked, and where; the lanes; the 128-byte lines that they touch, of
/// which a sign is a word of 4 bytes, eight of them a sector (filled: used; hollow: fetched in vain; blank: not
/// fetched), or in shared memory the 32 banks with the words that collide; its price in words. Of lines that are not
/// neighbours the gap is marked. Fits into 60 columns, and uses more where the page has them. Ends in a newline.
std::string picture(const std::vector<Request>& steps, const text::Page& page);

/// A row-major matrix as the one line of memory that it is, with the elements that the lanes touch: they slide along a
/// row or leap down a column. The request's buffer is the matrix, a row of it has `leading_dimension` elements (at
/// least 1). Ends in a newline.
std::string ribbon(const Request& request, int64_t leading_dimension, const text::Page& page);

}  // namespace lens
