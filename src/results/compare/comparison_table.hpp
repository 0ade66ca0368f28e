// Renders a compared run, for people and for GitHub.
#pragma once

#include <functional>
#include <string>

#include "results/values/run.hpp"
#include "text/page.hpp"

namespace results {

/// Renders the rows with their verdicts, the reasons of each row that is not SAME, the notes, and the number of each
/// verdict. Counted rows that are SAME are left out unless `all` is set: they have no figure to show.
std::string comparison_text(const Run& run, bool all, const text::Page& page);

/// Renders the same as Markdown, for a pull request: the numbers first, the notes folded.
std::string comparison_markdown(const Run& run);

/// Returns GitHub's workflow commands: an error for each row that is SLOWER, CHANGED or WRONG, a warning for each row
/// that is UNSURE. `source_of` returns the file of a kernel in the repository, or an empty string.
std::string comparison_annotations(const Run& run,
                                   const std::function<std::string(const Identity&)>& source_of);

}  // namespace results
