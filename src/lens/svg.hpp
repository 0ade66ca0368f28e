// Draws a warp's request as a figure for slides.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lens/request.hpp"

namespace lens {

/// Draws like picture(), as an SVG document for light and dark backgrounds.
std::string svg(const std::vector<Request>& steps);

/// Draws like ribbon(), as an SVG document. `leading_dimension`: elements in a row of the matrix, at least 1.
std::string svg_ribbon(const Request& request, int64_t leading_dimension);

}  // namespace lens
