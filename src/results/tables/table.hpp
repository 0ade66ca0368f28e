// A run for people: the table, the same as Markdown, and what is to be said below it.
#pragma once

#include <string>

#include "results/values/run.hpp"
#include "text/page.hpp"

namespace results {

/// Runs on a real device: where nothing was timed their figures stand in, starred. nullptr for none.
struct Recorded {
  const Run* ladder = nullptr;
  const Run* labs = nullptr;
};

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

/// Whether the run has figures that can stand in where nothing is timed: per cent of cuBLAS, warm, right, at
/// RECORDED_SIZE for each dimension.
bool has_ladder_figures(const Run& run);
inline constexpr int64_t RECORDED_SIZE = 4096;
/// Likewise for labs: a variant's per cent of a copy, warm and right, at any sizes.
bool has_lab_figures(const Run& run);

}  // namespace results
