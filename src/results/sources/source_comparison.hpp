// Compares two kernels: the lines that differ, with their counters, and the effect of the difference.
#pragma once

#include <string>
#include <vector>

#include "results/sources/source_view.hpp"
#include "results/tables/table.hpp"

namespace results {

/// The lines that differ between two kernels, in functions that access memory: marked '-' or '+' if the text
/// differs, with a blank if only the counters differ.
struct Difference {
  Shown first, second;
};
/// Returns the difference of two kernels.
Difference difference(const std::vector<Line>& first_lines,
                      const std::vector<Source>& first_sources,
                      const std::vector<Line>& second_lines,
                      const std::vector<Source>& second_sources);

/// Returns the second kernel's gain over the first, in sentences: sectors of global memory, wavefronts of shared memory
/// and, from recorded runs, time (starred).
std::string worth(const Result& first, const Result& second, const Recorded& recorded,
                  const text::Page& page);

}  // namespace results
