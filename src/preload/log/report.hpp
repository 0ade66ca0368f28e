// The log's texts: a table, and a file in the project's schema of results.
#pragma once

#include <string>
#include <vector>

#include "preload/log/log.hpp"
#include "results/values/run.hpp"

namespace preload {

results::LoggedCalls calls_of(const LoggedShape& shape, const LoggedTotals& totals);

/// Returns the table: a line for each function, shape and outcome, those with most calls first, and a line with the sums.
std::string table_of(const std::vector<results::LoggedCalls>& calls);

/// Prints the table to stderr, or writes a file. "%p" in the file's name becomes the number of the process.
void report(std::vector<results::LoggedCalls> calls, const std::string& file);

}  // namespace preload
