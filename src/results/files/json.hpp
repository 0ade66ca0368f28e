// Runs as JSON: the one writer and the one reader of the one schema.
//
// The file is a superset of Google Benchmark's: `context` says where the run comes from, and each row of `benchmarks` is
// a result. Facts (samples, counts) are written and read back. Figures that follow from facts (every metric that a row
// has) are written for other tools and not read.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "results/values/run.hpp"

namespace results {

/// The version of the schema, `context.schema`. A reader takes this one only.
inline constexpr int SCHEMA = 2;

/// A file that is no run, or that this version cannot read. The text says why, and names the place.
class Unusable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Ends in a newline.
std::string to_json(const Run& run);

/// Returns the description of a file's fields and their values, for other readers (plots/schema.json). Ends in a
/// newline.
std::string schema_json();

/// Throws Unusable.
Run run_from_json(std::string_view text);
/// The run in a file. Throws Unusable, naming the file.
Run read_run(const std::string& path);

}  // namespace results
