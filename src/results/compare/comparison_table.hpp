// A run that was held against another, for people and for GitHub.
#pragma once

#include <functional>
#include <string>

#include "results/values/run.hpp"
#include "text/page.hpp"

namespace results {

/// The rows with their verdicts, what is behind each that is not SAME, the notes, and last how many there are of each verdict. Of
/// what was counted only the rows that are not SAME, unless `all`: the others have no figure to show.
std::string comparison_text(const Run& run, bool all, const text::Page& page);

/// The same as Markdown, for a pull request: how many of each first, the notes folded.
std::string comparison_markdown(const Run& run);

/// GitHub's workflow commands: an error for each row that is SLOWER, CHANGED or WRONG, a warning for each that is UNSURE.
/// `source_of` names the file of a kernel in the repository, or is empty where there is none.
std::string comparison_annotations(const Run& run,
                                   const std::function<std::string(const Identity&)>& source_of);

}  // namespace results
