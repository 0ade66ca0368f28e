// The table of a lab: its variants side by side, under its question and above its answer.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "results/tables/table_layout.hpp"

namespace results {

/// `recorded` has the figures that stand in where nothing was timed; nullptr for none. All must outlive the table.
std::unique_ptr<ResultTable> lab_table(const Run& run, std::vector<const Result*> rows,
                                       const Run* recorded, const text::Signs& signs);

/// The recorded result that may stand in for what a variant was not timed for; nullptr if there is none.
const Result* recorded_variant(const Run& recorded, const Identity& who);

}  // namespace results
