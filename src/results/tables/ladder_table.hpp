// The table of rungs on one problem: each row against the one above it and against cuBLAS.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "results/tables/table_layout.hpp"

namespace results {

/// `recorded` has the figures that stand in where nothing was timed; nullptr for none. All must outlive the table.
std::unique_ptr<ResultTable> ladder_table(const Run& run, std::vector<const Result*> rows,
                                          const Run* recorded, const text::Signs& signs);

/// The recorded result that may stand in for what a rung was not timed for; nullptr if there is none.
const Result* recorded_rung(const Run& recorded, std::string_view name);

}  // namespace results
