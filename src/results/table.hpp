// A run for people: the table, the same as Markdown, and what is to be said below it.
#pragma once

#include <string>

#include "results/run.hpp"
#include "text/page.hpp"

namespace results {

/// A table for each problem. `recorded` is a run on a real device: where nothing was timed its percentages stand in,
/// starred; nullptr for none. What a narrow page has no room for is named below.
std::string to_table(const Run& run, const Run* recorded, const text::Page& page);

/// The same cells as Markdown.
std::string to_markdown(const Run& run, const Run* recorded);

/// One line for each result, its columns the single values of the JSON. RFC 4180.
std::string to_csv(const Run& run);

/// What is wrong, a paragraph for each result that is not right; nothing if all is well.
std::string complaints(const Run& run, const text::Page& page);

/// How each result was judged, each promise counted and each kernel launched, for -v.
std::string details(const Run& run, const text::Page& page);

/// Whether the run has figures that can stand in where nothing is timed: per cent of cuBLAS, warm, right, at
/// RECORDED_SIZE for each dimension.
bool has_recorded_figures(const Run& run);
inline constexpr int64_t RECORDED_SIZE = 4096;

/// The recorded result whose figures stand in for those of `result`: of the same rung, warm and right, at
/// RECORDED_SIZE. nullptr if there is none.
const Result* recorded_figure(const Run& recorded, const Result& result);

}  // namespace results
