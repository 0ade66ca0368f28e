// Runs as JSON: the one writer and the one reader of the one schema.
//
// The file is a superset of what Google Benchmark writes: `context` says where the run comes from, each row of
// `benchmarks` is a result. Facts are written (samples, counts) and read back; figures that follow from them
// (every metric that a row has) are written for other tools, and not read.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "results/values/run.hpp"

namespace results {

/// The version of the schema, `context.schema`. A reader takes this one only.
inline constexpr int SCHEMA = 2;

/// A file that is no run, or not one that this version can read. The text says which, and where.
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
