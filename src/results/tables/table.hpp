// A run for people: the table, the same as Markdown, and what is to be said below it.
#pragma once

#include <string>

#include "results/tables/recorded.hpp"
#include "results/values/run.hpp"
#include "text/page.hpp"

namespace results {

/// A table for each problem and for each lab. What a narrow page has no room for is named below.
std::string to_table(const Run& run, const Recorded& recorded, const text::Page& page);

/// The same cells as Markdown.
std::string to_markdown(const Run& run, const Recorded& recorded);

/// One line for each result, its columns the single values of the JSON. RFC 4180.
std::string to_csv(const Run& run);

/// What is wrong, a paragraph for each result that is not right; nothing if all is well.
std::string complaints(const Run& run, const text::Page& page);

/// What is wrong with a result, in a line; empty if nothing is.
std::string complaint(const Result& result);

/// How each result was judged, each promise counted and each kernel launched, for -v.
std::string details(const Run& run, const text::Page& page);

}  // namespace results
