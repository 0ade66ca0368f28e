// A kernel's source with its counters in the margin: which line asks for what, and what that costs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "results/values/line_figures.hpp"
#include "results/values/run.hpp"
#include "text/page.hpp"

namespace results {

/// A source file: as Line::file calls it, as the reader does, and what it says (nothing if that is not known).
struct Source {
  std::string file{};
  std::string name{};
  std::string text{};
};

/// The lines that a reader wants to see, of a file's lines the sign that stands before each: a blank, or what the reader
/// is to know of it.
using Shown = std::map<std::string, std::map<int, char>>;

/// All lines of the functions that access memory, with blanks.
Shown functions_with_accesses(const std::vector<Line>& lines, const std::vector<Source>& sources);

/// A kernel to be shown: what was counted of it, its sources in their order, and which of their lines.
struct SourcePart {
  std::string title{};
  std::vector<Line> lines{};
  std::vector<Source> sources{};
  Shown shown{};
};

/// The parts one below the other, their columns in line: the lines that are shown, with what was counted of each line,
/// buffer and width in the right margin, and marks of leaving out between. What wastes is marked, and in colour. On a narrow
/// page the margin has fewer columns, and a line beside it that is too long is cut.
std::string source_view(const std::vector<SourcePart>& parts, const text::Page& page);

/// What the margin's columns mean.
std::string source_legend(const std::vector<Line>& lines, const text::Page& page);

/// "524 k": three digits.
std::string compact(double count);

}  // namespace results
