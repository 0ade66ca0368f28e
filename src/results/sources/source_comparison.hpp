// Two kernels beside each other: the lines that differ, with their counters, and what the difference was worth.
#pragma once

#include <string>
#include <vector>

#include "results/sources/source_view.hpp"
#include "results/tables/table.hpp"

namespace results {

/// The lines of two kernels that differ: in their text, with the sign '-' or '+', or only in what was counted of them,
/// with a blank. Of the functions that access memory.
struct Difference {
  Shown first, second;
};
Difference difference(const std::vector<Line>& first_lines,
                      const std::vector<Source>& first_sources,
                      const std::vector<Line>& second_lines,
                      const std::vector<Source>& second_sources);

/// What the second has over the first, in sentences: sectors of global memory, wavefronts of shared memory and, from
/// the runs recorded on a device, time (starred).
std::string worth(const Result& first, const Result& second, const Recorded& recorded,
                  const text::Page& page);

}  // namespace results
