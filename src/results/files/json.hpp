// Runs as JSON: the one writer and the one reader of the one schema.
//
// The file is a superset of Google Benchmark's file: `context` has the run's origin, and each row of `benchmarks` is a
// result. Facts (samples, counts) are written and read back. Figures computed from facts (every metric that a row has)
// are written for other tools and not read.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "results/values/run.hpp"

namespace results {

/// The version of the schema, `context.schema`. The reader takes only this version.
inline constexpr int SCHEMA = 2;

/// Thrown for a file that is no run, or that this version cannot read. The text has the reason and the place in the
/// file.
class Unusable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns the run as JSON. Ends in a newline.
std::string to_json(const Run& run);

/// Returns the description of a file's fields and their values, for other readers (plots/schema.json). Ends in a
/// newline.
std::string schema_json();

/// Returns the run of a JSON text. Throws Unusable.
Run run_from_json(std::string_view text);
/// Returns the run in a file. Throws Unusable, which names the file.
Run read_run(const std::string& path);

}  // namespace results
