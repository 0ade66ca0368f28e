// Renders a run for people: its tables, as text and Markdown, and the notes below them.
#pragma once

#include <string>
#include <vector>

#include "results/tables/recorded.hpp"
#include "results/values/run.hpp"
#include "text/page.hpp"

namespace results {

/// Returns a table for each problem and for each lab, and below it the names of columns hidden on a
/// narrow page.
std::string to_table(const Run& run, const Recorded& recorded, const text::Page& page);

/// Returns the same cells as Markdown.
std::string to_markdown(const Run& run, const Recorded& recorded);

/// Returns one line for each result. Its columns are the single values of the JSON. RFC 4180.
std::string to_csv(const Run& run);

/// Returns a paragraph for each result that is not right; empty if all are.
std::string complaints(const Run& run, const text::Page& page);

/// Returns the error of a result, in a line; empty if it is right.
std::string complaint(const Result& result);

/// Returns the errors of a result, a clause each: "it broke its promise: ...". A hazard has several
/// lines.
std::vector<std::string> faults(const Result& result);

/// Returns details for -v: the judgement of each result, its counted promise, its launched kernels.
std::string details(const Run& run, const text::Page& page);

}  // namespace results
