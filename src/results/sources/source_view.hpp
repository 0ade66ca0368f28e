// Shows a kernel's source with each line's counters in the margin.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "results/values/line_figures.hpp"
#include "results/values/run.hpp"
#include "text/page.hpp"

namespace results {

/// A source file: its name in Line::file, its name for the reader, and its text (nothing if unknown).
struct Source {
  std::string file{};
  std::string name{};
  std::string text{};
};

/// The lines to show, with the mark before each: a blank, '-' or '+'.
using Shown = std::map<std::string, std::map<int, char>>;

/// Returns all lines of the functions that access memory, marked with blanks.
Shown functions_with_accesses(const std::vector<Line>& lines, const std::vector<Source>& sources);

/// A kernel to show: its counters, its sources in order, and their lines to show.
struct SourcePart {
  std::string title{};
  std::vector<Line> lines{};
  std::vector<Source> sources{};
  Shown shown{};
};

/// Returns the parts below each other, with aligned columns: the lines, the counters of each line, buffer and width in
/// the right margin, and marks for omitted lines. Waste is marked and coloured. On a narrow page the margin has fewer
/// columns, and long lines are cut. A legend of the margin's columns ends the text.
std::string source_view(const std::vector<SourcePart>& parts, const text::Page& page);

/// Returns "524 k": three digits.
std::string compact(double count);

}  // namespace results
