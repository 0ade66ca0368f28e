// The results as a table on the terminal, a line as soon as it is known.
#pragma once

#include <string>

#include "results/values/distributed.hpp"

namespace distributed {

/// Returns the line of headings.
std::string headings();
/// Returns a product's line. It fits into 80 columns.
std::string line_of(const results::DistributedProduct& product);

/// Returns further lines on a product that is reproducible or computed in tiles, or an empty text.
std::string notes_of(const results::DistributedProduct& product);

}  // namespace distributed
