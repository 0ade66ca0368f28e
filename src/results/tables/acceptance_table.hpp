// A cluster's acceptance test for people: a line for each GPU, and below the table the reasons of each GPU that is not OK.
#pragma once

#include <string>
#include <vector>

#include "results/values/acceptance.hpp"
#include "text/page.hpp"

namespace results {

/// Returns the GPUs with their verdicts. Each has its worst row: the one with the largest loss of speed. On a narrow page there
/// are fewer columns, and a line with their names.
std::string to_table(const std::vector<JudgedGpu>& gpus, const text::Page& page);

/// Returns the same as Markdown.
std::string to_markdown(const std::vector<JudgedGpu>& gpus);

}  // namespace results
