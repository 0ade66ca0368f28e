// A warp's request as a figure for slides.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lens/request.hpp"

namespace lens {

/// What picture() draws, as an SVG document that is right on a light and on a dark background.
std::string svg(const std::vector<Request>& steps);

/// What ribbon() draws, as an SVG document. `leading_dimension`: elements in a row of the matrix, at least 1.
std::string svg_ribbon(const Request& request, int64_t leading_dimension);

}  // namespace lens
